# The names of `sv.evaluate`, listed once (seqveil/lazily.py).

from seqveil.evaluate.comparison import Comparison as Comparison
from seqveil.evaluate.evaluator import compare as compare
from seqveil.evaluate.evaluator import compare_runs as compare_runs
