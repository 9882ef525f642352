"""The positions of a family: how many there are, and the tables of rotary ones."""

import re
from fractions import Fraction

from constructions.errors import InputError
from constructions.importing.computed_tables import rotary_tables
from constructions.importing.config_file import Settings
from constructions.importing.families import Row
from constructions.importing.graph.exact import Array
from constructions.importing.questions import Questions, table_rows
from constructions.importing.rotary_scaling import rotary_rule
from constructions.importing.weights import Weights
from constructions.trained.json_values import found
from constructions.trained.numbers import all_numbers

_LAYER_KINDS = ("full_attention", "sliding_attention", "global", "local")


def position_tables(row: Row, weights: Weights, settings: Settings, questions: Questions, prefix: str,
                    head_width: int) -> tuple[int, tuple[Array, Array] | None]:
    """Numbers of positions, and of cosines and sines.

    Raises:
        InputError: if a setting contradicts a tensor, or is not handled.
    """
    window = _window(settings, questions)
    if row.positions == "alibi":
        return 1, None
    if row.positions == "learned":
        questions.told("positions", "learned", row.table)
        count = weights.matrix(f"{prefix}{row.table}").shape[0] - row.table_offset
        if count < 1:
            raise InputError(f"{weights.where}: no positions in {row.table}, expected some after the first "
                             f"{row.table_offset} rows")
        settings.agree("positions", count, f"{row.table} has rows for positions")
        return min(count, window or count), None
    if row.neighbours:
        base, scaling = questions.told("rotary_base", Fraction(10000), row.kind), None
        width = settings.count("turned")
        questions.assume(f"rotary positions turn pairs of coordinates of queries and keys, to base {base}")
    else:
        rule = rotary_rule(settings, questions)
        base, scaling = rule.base, rule.scaling
        width = head_width if rule.part is None else int(rule.part * head_width)
    if width is None or width % 2 or not 0 < width <= head_width:
        raise InputError(f"{settings.where}: {width} of {head_width} coordinates of a head are turned, expected an "
                         f"even number")
    limits = [limit for limit in (settings.count("positions"), window) if limit]
    rows = table_rows(questions, min(limits, default=None), width // 2)
    cosines, sines = rotary_tables(rows, width // 2, base, scaling)
    weights.put("computed.cosines", cosines)
    weights.put("computed.sines", sines)
    return rows, (all_numbers(cosines).reshape(cosines.shape), all_numbers(sines).reshape(sines.shape))


def _window(settings: Settings, questions: Questions) -> int | None:
    """Greatest distance that attention sees in some layer: words are no longer than that.

    Raises:
        InputError: if there is attention of another kind.
    """
    kinds = str([settings.get(name) for name in ("layer_kinds", "attention_types")])
    window, is_used = settings.count("window"), settings.get("has_window") is not False
    if others := set(re.findall(r"'(\w+)'", kinds)) - set(_LAYER_KINDS):
        raise InputError(f"{settings.shown('layer_kinds')}: {found(min(others))} is not handled, expected "
                         f"{', '.join(_LAYER_KINDS)}")
    is_local = "local" in kinds or "sliding" in kinds
    if "sliding" in kinds and (window is None or not is_used):
        raise InputError(f"{settings.shown('layer_kinds')}: sliding_attention, but there is no window")
    told = settings.told("layer_kinds") or settings.told("attention_types")
    if window is None or not is_used or (told and not is_local):
        return None
    questions.assume(f"attention sees {window} tokens back, so there are {window} positions at most")
    return window
