# The front door: these names and the rooms. The module reads them from here, and type checkers do.
from tcloseness import (
    anonymize as anonymize,
    attacks as attacks,
    axioms as axioms,
    errors as errors,
    exact as exact,
    ground as ground,
    lattice as lattice,
    loss as loss,
    measures as measures,
    microdata as microdata,
    models as models,
    optimal as optimal,
    papers as papers,
    release as release,
    transport as transport,
)
from tcloseness.anonymize import anatomy as anatomy, datafly as datafly, mdav as mdav, mondrian as mondrian
from tcloseness.attacks import columns as columns
from tcloseness.audit import Audit as Audit, check as check
from tcloseness.axioms import check_distance as check_distance
from tcloseness.comparison import Comparison as Comparison, compare as compare
from tcloseness.estimator import Anonymizer as Anonymizer
from tcloseness.ground import (
    Equal as Equal,
    Hierarchical as Hierarchical,
    Matrix as Matrix,
    Ordered as Ordered,
    OrderedByValue as OrderedByValue,
)
from tcloseness.lattice import RollUp as RollUp, search_lattice as search_lattice
from tcloseness.loss import losses as losses
from tcloseness.microdata import (
    ClassCounts as ClassCounts,
    Domain as Domain,
    FrequencySet as FrequencySet,
    Hierarchy as Hierarchy,
    Microdata as Microdata,
    read_table as read_table,
)
from tcloseness.models import (
    AlphaKAnonymity as AlphaKAnonymity,
    BasicBetaLikeness as BasicBetaLikeness,
    DeltaDisclosure as DeltaDisclosure,
    DeltaPresence as DeltaPresence,
    DistinctLDiversity as DistinctLDiversity,
    EnhancedBetaLikeness as EnhancedBetaLikeness,
    EntropyLDiversity as EntropyLDiversity,
    ExpEpsilonCloseness as ExpEpsilonCloseness,
    FrequencyLDiversity as FrequencyLDiversity,
    KAnonymity as KAnonymity,
    NTCloseness as NTCloseness,
    PSensitiveKAnonymity as PSensitiveKAnonymity,
    RecursiveCLDiversity as RecursiveCLDiversity,
    TCloseness as TCloseness,
)
from tcloseness.optimal import optimal_partition as optimal_partition, optimal_suppression as optimal_suppression
from tcloseness.release import Release as Release
from tcloseness.report.lattice_figures import plot_lattice as plot_lattice
from tcloseness.sweeps import Sweep as Sweep, sweep as sweep
from tcloseness.table import Table as Table
from tcloseness.transport import Certificate as Certificate, certify as certify, emd as emd, emd_of as emd_of

__all__: list[str]
__version__: str
