"""Attacks on a release, each returning the records that it reveals, with the reason."""

from tcloseness.beliefs.attacks.background import (
    Person,
    PersonInference,
    PersonsAttack,
    background_knowledge_attack,
    known_persons_attack,
)
from tcloseness.beliefs.attacks.complementary import (
    ComplementaryAttack,
    LinkedPerson,
    LinkedRelease,
    complementary_release_attack,
)
from tcloseness.beliefs.attacks.homogeneity import homogeneity_attack
from tcloseness.beliefs.attacks.minimality import MinimalityAttack, Specialization, minimality_attack
from tcloseness.beliefs.attacks.result import AttackResult, Finding
from tcloseness.beliefs.attacks.similarity import narrow_range_attack, similarity_attack
from tcloseness.beliefs.attacks.skewness import SkewFinding, skewness_attack

__all__ = [
    "AttackResult",
    "ComplementaryAttack",
    "Finding",
    "LinkedPerson",
    "LinkedRelease",
    "MinimalityAttack",
    "Person",
    "PersonInference",
    "PersonsAttack",
    "SkewFinding",
    "Specialization",
    "background_knowledge_attack",
    "complementary_release_attack",
    "homogeneity_attack",
    "known_persons_attack",
    "minimality_attack",
    "narrow_range_attack",
    "similarity_attack",
    "skewness_attack",
]
