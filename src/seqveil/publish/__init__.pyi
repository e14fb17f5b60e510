from seqveil.publish.density import DER as DER
from seqveil.publish.diffpart import DiffPart as DiffPart
from seqveil.publish.graphs import GraphDegrees as GraphDegrees
from seqveil.publish.graphs import GraphLaplace as GraphLaplace
from seqveil.publish.graphs import GraphRandom as GraphRandom
from seqveil.publish.itemsetnoise import ItemsetNoise as ItemsetNoise
from seqveil.publish.ngram import NGram as NGram
from seqveil.publish.prefix import PrefixPublication as PrefixPublication
