"""The prefix-tree miner with four ways to divide its budget."""

from seqveil.mine.prefixminer.mechanism import PrefixMiner

__all__ = ["PrefixMiner"]
