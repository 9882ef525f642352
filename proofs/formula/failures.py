"""Exceptions for obligations that are not derived or decided: they are not verdicts about the network."""


class NotDerived(Exception):
    """The meaning of a direction does not follow from the weights by the rules of docs/reference/certificate.md.

    The message has the location and the reason. The claim may still be true: it is refuted only by a replayed word.
    """


class Undecided(Exception):
    """Z3 answered neither sat nor unsat."""
