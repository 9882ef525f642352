"""Z3 as the second prover: it gets the obligations with their Boolean inputs free, and linear arithmetic only.

``attention``, ``geometric``, ``bumps``, ``lookup``, ``lookup_by_kernel``, ``lookup_of_sums`` and ``feed_forward`` prove
obligations; ``words`` turns a failing head into a word. Nothing else imports z3. ``unknown`` and time-outs are never
passes.
"""

from __future__ import annotations

from proofs.by_z3.attention import proves_attention
from proofs.by_z3.bumps import proves_bumps
from proofs.by_z3.feed_forward import proves_feed_forward
from proofs.by_z3.geometric import proves_stick
from proofs.by_z3.lookup import proves_lookup
from proofs.by_z3.lookup_by_kernel import proves_lookup_by_kernel
from proofs.by_z3.lookup_of_sums import proves_lookup_of_sum
from proofs.by_z3.solver import Resources, Undecided
from proofs.by_z3.words import find_word

__all__ = [
    "Resources", "Undecided", "find_word", "proves_attention", "proves_bumps", "proves_feed_forward", "proves_lookup",
    "proves_lookup_by_kernel", "proves_lookup_of_sum", "proves_stick",
]
