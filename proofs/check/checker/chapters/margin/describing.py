"""The statement of an accepted claim by margins, written from the parsed values."""

from collections.abc import Mapping

from ...kernel.kind import entry
from ...kernel.verdicts import quote_all, show
from .reading import MarginFile

PLACES = {
    "first": "the formula is read at the first letter, the output at the first position of the sequence",
    "last": "the formula is read at the last letter, the output at the last position of the sequence",
    "every": "the formula is read at every letter, the output at the same place"}
OF_EQUAL = " (a vector of equal numbers becomes 0)"


def describe_margin(given: MarginFile, coverage: Mapping[str, int]) -> list[str]:
    """Return the lines with the whole claim, and with the coverage of its proof."""
    claim, network = given.claim, given.transformer
    weightings = dict.fromkeys(head.weighting for head in network.heads)
    return [
        *entry("formula", given.language.write(claim.formula)),
        *entry("where", [given.language.write_definition(name) for name in claim.predicates]),
        *entry("alphabet", [quote_all(claim.alphabet)]),
        *entry("sequence", [f"{quote_all(claim.before) or 'nothing'}, then the word, then "
                            f"{quote_all(claim.after) or 'nothing'}"]),
        *entry("claim", [
            f"for every n in {claim.min_n}..{claim.max_n} and every word of n letters of the alphabet:",
            f"{PLACES[claim.at]};",
            f"the output is above {show(claim.threshold)} by more than the margin if the formula holds,",
            "and below it by more than the margin if not (exact reals, real softmax)"]),
        *entry("margin", given.language.write(claim.margin)),
        *entry("transformer", [f"{len(network.layers)} layers, {len(network.heads)} heads; weightings: "
                               f"{', '.join(weightings) or 'none'}"]),
        *entry("norms", [f"layer {number}, behind {part}: epsilon {show(epsilon)}{'' if epsilon else OF_EQUAL}"
                         for number, layer in enumerate(given.norms, 1)
                         for part, epsilon in zip(("attention", "units"), layer, strict=True) if epsilon is not None]),
        *entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])]
