"""Itemsets measured by bases, which publish and mine share: live labels, pairs, then all bins of bases or clipped counts.

Everything here is a function of noisy answers and public parameters. The lines that ask the wall are in `live.py`, `pairing.py`,
`counting.py` and `width.py`'s caller `asking.py`. docs/mechanisms/basis.md.
"""
