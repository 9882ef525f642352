"""What an accepted certificate about lengths claims, or a long word shows, in words; written from what was parsed."""

from collections.abc import Mapping

from ....kernel.kind import entry
from ....kernel.verdicts import show
from ..reading.lengths import EVERY, LengthsCertificate, LongWord, SuffixesCertificate
from ..words.describing import describe_claim, words_of_row


def describe_lengths(given: LengthsCertificate | SuffixesCertificate, coverage: Mapping[str, int]) -> list[str]:
    """The whole claim, and what was covered to accept it."""
    return [
        *["the claim that follows is VACUOUS: on no word is anything judged:"] * (not coverage["cells with rows"]),
        *describe_claim(given.network, given.claim, given.language, is_every=given.claim.max_n == EVERY),
        *entry("covered", [", ".join(f"{count} {what}" for what, count in coverage.items())])]


def describe_long_word(given: LongWord, coverage: Mapping[str, int]) -> list[str]:
    """The claim that is false, and the word by which it is."""
    del coverage
    claim = given.claim
    runs = " ".join(f"{claim.alphabet[letter]!a}^{times}" if times > 1 else ascii(claim.alphabet[letter])
                    for letter, times in given.runs)
    return [
        "the claim that follows is FALSE:",
        *describe_claim(given.network, claim, given.language, is_every=given.claim.max_n == EVERY),
        *entry("wrong word", [f"{runs} (length {sum(times for _, times in given.runs)})"]),
        *entry("where", [f"at its end, in case {given.case + 1}:",
                         f"{words_of_row(claim.cases[given.case].above[given.row])} is at most {show(claim.margin)}"])]
