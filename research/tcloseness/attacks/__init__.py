"""What an attacker believes before and after a release, and the attacks that the papers describe."""

from tcloseness.attacks.background import (
    Person,
    PersonInference,
    PersonsAttack,
    background_knowledge_attack,
    known_persons_attack,
)
from tcloseness.attacks.bayes import Belief, ObservedBeliefs, observed_beliefs
from tcloseness.attacks.candidates import Candidates
from tcloseness.attacks.certified_cuts import RefusedCuts
from tcloseness.attacks.column_sets import Column, ColumnSet, KeySet
from tcloseness.attacks.columns import Columns, columns
from tcloseness.attacks.complementary import (
    ComplementaryAttack,
    LinkedPerson,
    complementary_release_attack,
)
from tcloseness.attacks.counted_beliefs import BeliefChange, CountedBeliefs, Enclosure
from tcloseness.attacks.disclosure import Disclosure, Fact, StatusCounts
from tcloseness.attacks.filled_classes import filled_classes_attack
from tcloseness.attacks.fitted_guesses import FittedGuesses, fitted_guesses
from tcloseness.attacks.homogeneity import homogeneity_attack
from tcloseness.attacks.knowledge import DamagingKnowledge, damaging_knowledge
from tcloseness.attacks.levels import what_it_gives_away
from tcloseness.attacks.linked_releases import LinkedRelease
from tcloseness.attacks.minimality import MinimalityAttack, Specialization, minimality_attack
from tcloseness.attacks.ordered_draws import OrderedDraws, ordered_draw_attack
from tcloseness.attacks.population import Population
from tcloseness.attacks.population_counts import population_counts
from tcloseness.attacks.refused_cuts import refused_cuts
from tcloseness.attacks.replay import is_consistent
from tcloseness.attacks.result import AttackResult, Finding
from tcloseness.attacks.ruled_out_steps import ruled_out_steps
from tcloseness.attacks.similarity import narrow_range_attack, similarity_attack
from tcloseness.attacks.skewness import SkewFinding, skewness_attack
from tcloseness.attacks.tight import LabelDisclosure, label_disclosure
from tcloseness.attacks.worlds import ConsistentOriginals, consistent_originals
from tcloseness.microdata.border import guarded

__all__ = [
    "AttackResult",
    "Belief",
    "BeliefChange",
    "Candidates",
    "Column",
    "ColumnSet",
    "Columns",
    "ComplementaryAttack",
    "ConsistentOriginals",
    "CountedBeliefs",
    "DamagingKnowledge",
    "Disclosure",
    "Enclosure",
    "Fact",
    "Finding",
    "FittedGuesses",
    "KeySet",
    "LabelDisclosure",
    "LinkedPerson",
    "LinkedRelease",
    "MinimalityAttack",
    "ObservedBeliefs",
    "OrderedDraws",
    "Person",
    "PersonInference",
    "PersonsAttack",
    "Population",
    "RefusedCuts",
    "SkewFinding",
    "Specialization",
    "StatusCounts",
    "background_knowledge_attack",
    "columns",
    "complementary_release_attack",
    "consistent_originals",
    "damaging_knowledge",
    "filled_classes_attack",
    "fitted_guesses",
    "homogeneity_attack",
    "is_consistent",
    "known_persons_attack",
    "label_disclosure",
    "minimality_attack",
    "narrow_range_attack",
    "observed_beliefs",
    "ordered_draw_attack",
    "population_counts",
    "refused_cuts",
    "ruled_out_steps",
    "similarity_attack",
    "skewness_attack",
    "what_it_gives_away",
]

guarded(globals())
