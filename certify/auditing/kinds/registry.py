"""The kinds of claims that ``kind`` may name."""

from collections.abc import Mapping

from certify.auditing.kinds.kind import BOUNDED, OF_FORMULAS, OF_SUBJECTS, ClaimKind
from certify.claims.trained.count_question import STATED

SUBJECT = {"formula": str, "model": str, "program": str}
BOUNDS = {"at_most": str, "at_least": str}
KINDS: Mapping[str, ClaimKind] = {kind.name: kind for kind in (
    ClaimKind("margin", {"model": str, "formula": str, "at": str, "alphabet": str, "before": str, "after": str,
                         "threshold": str, "margin": str, "norm": str, "gamma": str, "temperature": str,
                         "predicate": list}),
    ClaimKind("sensitivity", OF_SUBJECTS | SUBJECT | {"at": str, "direction": str, "as_formula": bool, "claim": str,
                                                      "offset": int} | BOUNDS, ("model", "program", "claim")),
    ClaimKind("cross-entropy", OF_SUBJECTS | SUBJECT | {
        "language": str, "p": str, "direction": str, "slope": str, "intercept": str, "steepest": str,
        "as_formula": bool} | BOUNDS),
    ClaimKind("soften", {"model": str, "program": str, "alphabet": str, "temperature": str, "weighting": str,
                         "break_ties": bool, "every_n": bool}),
    ClaimKind("decide", {"model": str, "claim": str, "offset": (int, str, list)}, ("model", "claim")),
    ClaimKind("head", {"model": str, "claim": str, "offset": (int, str, list), "head": str, "on": str, "near": str,
                       "at_least": str, "at_most": str, "within": str, "given": str}, ("model", "claim")),
    ClaimKind("circuit", {"model": str, "claim": str, "offset": (int, str, list), "kept_heads": str,
                          "kept_neurons": str, "cut_edges": str, "to": str}, ("model", "claim")),
    ClaimKind("count", {"model": str, "claim": str, "max_n": int, "min_n": int, **dict.fromkeys(STATED, (str, int)),
                        "within": str, "weights": str, "float": str, "effort": int},
              ("model", "claim", "weights", "float"), has_lengths=False),
    ClaimKind("floats", {"model": str, "format": str, "exp_ulp": str}),
    ClaimKind("prove", OF_FORMULAS | SUBJECT | {"gamma": str, "min_n": int, "max_n": int}, has_lengths=False),
    ClaimKind("resources", {key: kind for key, kind in OF_FORMULAS.items() if key != "precision"} | SUBJECT
              | dict.fromkeys(BOUNDED, int), has_lengths=False))}
