"""What the tests of linkage share: the slow and obvious way lies beside them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # `from linkage_brute import …` works here
