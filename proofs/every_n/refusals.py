"""Refusals of the checker of the Coq library, in words; ``proofs/ocaml/messages.ml`` uses the same words."""

import re
from collections.abc import Sequence
from itertools import groupby

MOST_NAMED = 20

_REFUSAL = re.compile(r"= (?P<place>\w+)(?P<numbers>(?: \d+)*)(?: \[(?P<faults>[^]]*)\])? : refusal")
_FAULT = re.compile(r"Fault (?P<direction>\d+) (?P<head>\d+) \(?(?P<trouble>\w+)(?P<numbers>(?: \d+)*)\)?")
_STAGES = {"InEmbedding": "the embedding", "InHeads": "layer {0}, heads", "InFeedforward": "layer {0}, ReLUs"}
_UNDEFINED_TEMPERATURE = "layer {0}, head {1}: the temperature may have no value, or not be positive"
_OTHER_OUTPUT = "the output does not mean the truth of the formula"
_READ = "expected truths, and powers of the position and of n"
_TROUBLES = {
    "EmbeddedOtherwise": "its embedding does not hold what it means",
    "EmbeddedAndWritten": "it is embedded, and a layer writes it, too",
    "WrittenBefore": "it is written before",
    "WrittenTimes": "it is written {0} times, expected once",
    "TemperatureRead": "the temperature cannot be read, expected powers of i and n, over factors such as ln(n)",
    "QueryReads": "the query reads {name}, expected truths, counts, and powers of i and n; a factor such as ln(n) must "
                  "be one of the temperature, or of all that the query reads",
    "KeyReads": f"a key reads {{name}}, {_READ}",
    "ValueReads": f"a value reads {{name}}, {_READ}",
    "TooWarm": "the scores are too close together: 1000 times as large, they would be accepted",
    "NotPosition": "tried: means without scores, as in Proposition 11",
    "NotMean": "tried: a mean of the formula over all positions on its side, with scores that are equal",
    "NotNeighbour": "tried: the scores of Theorems 12 and 13, and those for low precision",
    "NotDecided": "tried: the scores of Theorems 15 and 16, those for low precision, any levels with a tie-breaking "
                  "term, and the first or the last position alone",
    "NotLookup": "tried: the lookups of Theorems 20 and 21",
    "NoHead": "no rule shows that a head holds what it means",
    "UnitReads": "ReLU {0} reads {name}, of which nothing is known",
    "UnitBends": "ReLU {0} may be on either side of its kink",
    "OtherSum": "in some case the sum of the ReLUs does not hold what it means",
}


def describe_refusal(printed: str, directions: Sequence[str]) -> str:
    r"""Describe the refusal that ``find_refusal`` of ``proofs/coq/checker/refusal.v`` found; empty if none.

    >>> printed = "= InHeads 2 [Fault 0%nat 1%nat WrittenBefore;\n Fault 1%nat 0%nat (WrittenTimes 2)]\n : refusal"
    >>> describe_refusal(printed, ["near[Q_a]", "near[Q_b]"])
    'layer 2, heads: near[Q_a] (head 1): it is written before; near[Q_b]: it is written 2 times, expected once'
    """
    found = _REFUSAL.search(re.sub(r"\s+", " ", printed).replace("%nat", ""))
    if not found:
        return ""
    numbers, place = found["numbers"].split(), found["place"]
    if place == "UndefinedEmbedding":
        return f"the embedding: {directions[int(numbers[0])]}: it may have no value"
    if place == "UndefinedTemperature":
        return _UNDEFINED_TEMPERATURE.format(*numbers)
    if place in _STAGES:
        return f"{_STAGES[place].format(*numbers)}: {_faults(found['faults'], directions)}"
    return _OTHER_OUTPUT if place == "InOutput" else ""


def _faults(printed: str, directions: Sequence[str]) -> str:
    """Return the faults; consecutive directions with one fault are grouped."""
    faults = list(_FAULT.finditer(printed))
    named = [(_trouble(fault, directions), _direction(fault, directions)) for fault in faults[:MOST_NAMED]]
    groups = [f"{', '.join(name for _, name in group)}: {trouble}"
              for trouble, group in groupby(named, key=lambda one: one[0])]
    return "; ".join([*groups, *(["..."] if len(faults) > MOST_NAMED else [])])


def _direction(fault: re.Match[str], directions: Sequence[str]) -> str:
    head = f" (head {fault['head']})" if fault["head"] != "0" else ""
    return directions[int(fault["direction"])] + head


def _trouble(fault: re.Match[str], directions: Sequence[str]) -> str:
    numbers = fault["numbers"].split()
    name = directions[int(numbers[-1])] if fault["trouble"].endswith("Reads") else ""
    return _TROUBLES[fault["trouble"]].format(*numbers, name=name)
