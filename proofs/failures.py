"""Why an obligation could not be derived: never a verdict about the network, only about what this prover handles."""

from __future__ import annotations


class NotDerived(Exception):
    """The meaning of a direction does not follow from the weights by the rules of docs/certificate.md.

    The message says where and why. The claim may still be true: the outcome is refuted only if a replayed word says
    so, and unknown otherwise.
    """
