from seqveil.mine.basis import Basis as Basis
from seqveil.mine.ffs import FrequentStrings as FrequentStrings
from seqveil.mine.itemsets import FrequentItemsets as FrequentItemsets
from seqveil.mine.pfs2 import PFS2 as PFS2
from seqveil.mine.prefixminer import PrefixMiner as PrefixMiner
from seqveil.mine.substrings import Substrings as Substrings
from seqveil.mine.twophase import PublicSample as PublicSample
from seqveil.mine.twophase import TwoPhase as TwoPhase
