"""`--regex` and `--dfa` in place of a formula: what every command makes of them, and what is refused."""

from __future__ import annotations



