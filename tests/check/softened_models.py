"""Small transformers whose heads are uniform, tieless, or tie; for the checker of softened transformers."""

import functools

from tests.check.softening import Json, head, layer, seal, transformer, unit


def recent() -> Json:
    """Two layers: errors enter scores, values and units; two heads write one direction; all three masks."""
    tokens = {"a": {"one": "1", "a": "1"}, "b": {"one": "1", "b": "1"}}
    first = layer(
        [head({"last": {"a": "1", "b": "-1"}}, {"one": "1"}, {"place": "1", "a": "2"}), head({"mean": {"a": "1"}})],
        [unit({"last": "1", "mean": "-1"}, "0", {"mix": "1/3"}),
         unit({"last": "-2", "mean": "2"}, "1/2", {"mix": "1/2", "out": "1/4"})])
    second = layer(
        [head({"out": {"mix": "1"}}, {"one": "1", "mix": "1/9"}, {"place": "3", "mix": "1"}, mask="none"),
         head({"out": {"b": "1/5", "last": "1/5"}}, mask="past")],
        [unit({"last": "1"}, "-1/4", {"out": "1"}), unit({"last": "1"}, "-3/4", {"out": "-1"})], {"one": "1/2"})
    return transformer("one place a b last mean mix out", tokens, {"place": "i/n"}, [first, second])


def rounded() -> Json:
    """Return the last symbol, rounded by the units of Lemma 9: what the head errs is gone in its copy, exactly."""
    tokens = {"0": {"one": "1"}, "1": {"one": "1", "is": "1"}}
    only = layer([head({"near": {"is": "1"}}, {"one": "1"}, {"place": "1"}, weighting="average-hardmax")],
                 [unit({"near": "1"}, "-1/4", {"out": "2"}), unit({"near": "1"}, "-3/4", {"out": "-2"})])
    return transformer("one place is near out", tokens, {"place": "i"}, [only])


def copied() -> Json:
    """Return a tieless head whose output is averaged by a uniform one and copied: all of the error is drift."""
    tokens = {"0": {"one": "1"}, "1": {"one": "1", "is": "1"}}
    first = head({"near": {"is": "1"}}, {"one": "1"}, {"place": "1"}, mask="past", weighting="leftmost-hardmax")
    layers = [layer([first]),
              layer([head({"mean": {"near": "2/3"}}, weighting="softmax", mask="none")],
                    [unit({"mean": "1"}, "0", {"out": "1/2"}), unit({"near": "2"}, "0", {"out": "1/5"})])]
    return transformer("one place is near mean out", tokens, {"place": "-i"}, layers)


def counting() -> Json:
    """Uniform heads only: no gap, no error."""
    tokens: Json = {"x": {}, "y": {"is": "1"}}
    keyless = head({"out": {"is": "1"}}, {"is": "1"}, {}, mask="none", weighting="average-hardmax")
    only = layer([head({"mean": {"is": "1"}}), keyless])
    return transformer("is mean out", tokens, {}, [only])


def echo() -> Json:
    """The second query is 0, so that all positions win, whatever their keys. But it errs, and so do the scores, the
    more the farther keys are apart: the bound depends on which winner weights are relative to."""
    tokens = {"0": {"one": "1"}, "1": {"one": "1", "is": "1"}}
    first = head({"near": {"is": "1"}}, {"one": "1"}, {"place": "1"})
    again = head({"out": {"is": "1"}}, {"is": "-1", "near": "1"}, {"place": "1"}, weighting="average-hardmax")
    return transformer("one place is near out", tokens, {"place": "i"}, [layer([first]), layer([again])])


def majority() -> Json:
    """The mean over the symbols that are preferred here; then scores that err, and two heads write one direction."""
    tokens = {"0": {"one": "1", "zero": "1"}, "1": {"one": "1", "is": "1"}}
    first = layer([head({"share": {"place": "1/3", "is": "1"}}, {"one": "1", "is": "1"}, {"zero": "1/2", "is": "1"},
                        weighting="average-hardmax", mask="none")],
                  [unit({"share": "1"}, "-1/2", {"more": "1/5"})])
    again = head({"out": {"is": "1/3", "share": "1/4"}}, {"more": "5"}, {"place": "1/2", "is": "1", "more": "-1/9"},
                 weighting="average-hardmax")
    second = layer([again, again | {"mask": "past", "values": {"out": {"place": "1/2", "more": "1/2"}}}])
    return transformer("one place zero is share more out", tokens, {"place": "i/n"}, [first, second])


def constant() -> Json:
    """All scores are 1: every position wins, and softmax misses nothing; then the mean is looked up by its value."""
    tokens = {"0": {"one": "1"}, "1": {"one": "1", "is": "1"}}
    everything = head({"mean": {"is": "1"}}, {"one": "1"}, {"one": "1"}, weighting="average-hardmax", mask="past")
    greatest = head({"out": {"is": "1"}}, {"one": "2"}, {"mean": "1"}, weighting="average-hardmax", mask="none")
    return transformer("one is mean out", tokens, {}, [layer([everything]), layer([greatest])])


MODELS = {"recent": (recent, "1/(40*n)"), "rounded": (rounded, "1/20"), "copied": (copied, "1/20"),
          "counting": (counting, "1/n"), "majority": (majority, "1/20"), "echo": (echo, "1/20"),
          "constant": (constant, "1/(40*n)")}


@functools.cache
def sealed(name: str, max_n: int) -> Json:
    """Return the certificate; it is not to be changed."""
    make, temperature = MODELS[name]
    return seal(make(), max_n, temperature)
