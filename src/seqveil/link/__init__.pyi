from seqveil.link.base import Base as Base
from seqveil.link.key import Key as Key
from seqveil.link.matching import match as match
from seqveil.link.opening import open_pairs as open_pairs
from seqveil.link.pairs import Pairs as Pairs
from seqveil.link.vectors import Vectors as Vectors
from seqveil.link.writing import write_vectors as write_vectors
