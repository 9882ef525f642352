"""Evidence for a count of words: lemmas, each with its proof; docs/background/counting.md, section 5."""

from dataclasses import dataclass, replace
from functools import partial

from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, one_of, or_null, read_rational
from ....kernel.verdicts import expect
from .cover import Cover, read_cover
from .decision import Decision
from .words_claim import EachWord, TrainedClaim, read_automaton, read_case, read_each_word


@dataclass(frozen=True)
class WordsPart:
    """A claim about the same inputs, perhaps with fewer lengths and offsets, other cases and margin; its evidence."""

    claim: TrainedClaim
    evidence: Cover | EachWord


@dataclass(frozen=True)
class WordsParts:
    """Lemmas about the network, which decide words together."""

    parts: tuple[WordsPart, ...]


def read_parts(value: Json, about: Decision[TrainedClaim, None]) -> WordsParts:
    """Parse the parts."""
    return WordsParts(Fields(value, "parts").read("parts", list_of(partial(read_part, about=about))))


def read_part(value: Json, about: Decision[TrainedClaim, None]) -> WordsPart:
    """Parse a part: what its claim has instead of the keys of the claim, and its evidence."""
    claim, network = about.claim, about.network
    fields = Fields(value, "max_n", "margin", "offsets", "automaton", "cases", "by", "evidence", optional=("offsets",))
    some = list_of(integer_within(range(claim.offsets[0], claim.offsets[1] + 1)))
    offsets = fields.read("offsets", some) if "offsets" in fields else claim.offsets
    expect(len(offsets) == 2 and offsets[0] <= offsets[1], "offsets: expected first and last")
    automaton = fields.read("automaton", or_null(partial(read_automaton, letters=len(claim.alphabet))))
    states = len(automaton.steps) if automaton else 0
    case = partial(read_case, outputs=network.outputs, states=states, language=claim.language)
    lemma = replace(claim, max_n=fields.read("max_n", integer_within(claim.widths)), offsets=(offsets[0], offsets[1]),
                    margin=fields.read("margin", read_rational), automaton=automaton,
                    cases=fields.read("cases", list_of(case)))
    expect(lemma.margin >= 0, "margin: expected 0 or more, got {}", lemma.margin)
    by = str(fields.read("by", one_of("cover", "each word")))
    if by == "cover":
        return WordsPart(lemma, fields.read("evidence", partial(read_cover, about=about)))
    expect(about.floats, "by: exact outputs need a cover")
    return WordsPart(lemma, fields.read("evidence", partial(read_each_word, about=about)))
