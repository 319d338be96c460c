"""What an attacker believes before and after a release, and the attacks that the papers describe."""

from tcloseness.beliefs.attacks import (
    AttackResult,
    ComplementaryAttack,
    Finding,
    LinkedPerson,
    LinkedRelease,
    MinimalityAttack,
    Person,
    PersonInference,
    PersonsAttack,
    SkewFinding,
    Specialization,
    background_knowledge_attack,
    complementary_release_attack,
    homogeneity_attack,
    known_persons_attack,
    minimality_attack,
    narrow_range_attack,
    similarity_attack,
    skewness_attack,
)
from tcloseness.beliefs.bayes import Belief, ObservedBeliefs, observed_beliefs
from tcloseness.beliefs.knowledge import DamagingKnowledge, damaging_knowledge
from tcloseness.beliefs.population import Population
from tcloseness.microdata.border import guarded

__all__ = [
    "AttackResult",
    "Belief",
    "ComplementaryAttack",
    "DamagingKnowledge",
    "Finding",
    "LinkedPerson",
    "LinkedRelease",
    "MinimalityAttack",
    "ObservedBeliefs",
    "Person",
    "PersonInference",
    "PersonsAttack",
    "Population",
    "SkewFinding",
    "Specialization",
    "background_knowledge_attack",
    "complementary_release_attack",
    "damaging_knowledge",
    "homogeneity_attack",
    "known_persons_attack",
    "minimality_attack",
    "narrow_range_attack",
    "observed_beliefs",
    "similarity_attack",
    "skewness_attack",
]

guarded(globals())
