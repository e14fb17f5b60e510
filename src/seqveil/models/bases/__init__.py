"""Synthetic sets that agree with noisy counts of itemsets, of labels and of sizes. Post-processing."""
