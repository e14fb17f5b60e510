"""Streams: the raw side. Events go in, only noisy values come out (docs/mechanisms/streams.md).

What a reviewer reads: `stretches.py` (the privacy argument of all methods but one), `square_root.py` (that one), `statistics.py`,
`additive.py` and `packings.py` (what one event can move), `continual.py` (where noise is drawn and added), `wall/journal` (why no
restart draws it again) and `wall/process.py` (why no copy and no fork does), `vault.py` (what is charged).
"""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
