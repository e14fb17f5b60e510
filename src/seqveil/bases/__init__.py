"""Itemsets measured by bases, which publish and mine share: live labels, pairs, then all bins of bases or clipped counts.

Everything here is a function of noisy answers and public parameters. The lines that ask the wall are in `asking.py`, `live.py`,
`growing.py` and `counting.py`. docs/mechanisms/basis.md.
"""
