"""Why an obligation could not be derived or decided: never a verdict about the network, but about these provers."""


class NotDerived(Exception):
    """The meaning of a direction does not follow from the weights by the rules of docs/reference/certificate.md.

    The message says where and why. The claim may still be true: the outcome is refuted only if a replayed word says
    so, and unknown otherwise.
    """


class Undecided(Exception):
    """Z3 answered neither sat nor unsat."""
