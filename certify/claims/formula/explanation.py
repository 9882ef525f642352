"""`certify explain`: the fragment of a formula, and what each regime would build for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console

from certify.claims.floats.models import read_models
from certify.claims.formula.lesson import Lesson, lesson_lines, lesson_to_json
from certify.claims.formula.show import sizes_of
from certify.common.terminal_tables import plain, printed_to_html
from certify.common.words import counted, show_alphabet
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.expressions import Constant
from constructions.language.formula_table import texts_of
from constructions.language.fragments import fragment_of
from constructions.language.printer import Style, describe_formula, format_briefly, format_formula
from constructions.language.syntax import Formula, subformulas
from constructions.network.lengths import Lengths, up_to
from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from constructions.statements.low_precision import GAMMA

LOW_PRECISION = "bfloat16"
"""The format of the low-precision network, which is built if float models are requested."""
MANY = 50
"""The number of embeddings that are listed."""
TRIED = up_to(64)
Reach = Mapping[str, int | None]
"""For each float model the greatest length in ``TRIED`` up to which the bounds hold; None if there is none."""


@dataclass(frozen=True)
class Built:
    """The network of one regime, or the reason why there is none; with a ``precision``, the low-precision one.

    ``reach`` gives the length up to which each float model is right, if requested.
    """

    regime: Regime
    network: Transformer | str
    precision: str | None = None
    reach: Reach | None = None

    @property
    def title(self) -> str:
        """The regime, and the format for which it is built."""
        return f"regime {self.regime}" + (f", for {self.precision}" if self.precision else "")


@dataclass(frozen=True, repr=False)
class Explanation:
    """A formula, its fragment, and the network of each regime; ``floats`` if float models were requested.

    All heads have the ``weighting``. ``language`` describes the regular language of the formula, if it was made for
    one. The ``lesson`` teaches the formula and the first of the networks, if requested.
    """

    formula: Formula
    alphabet: tuple[str, ...]
    gamma: Constant
    networks: tuple[Built, ...]
    floats: bool = False
    language: tuple[str, ...] = ()
    weighting: Weighting = Weighting.SOFTMAX
    lesson: Lesson | None = None

    def __repr__(self) -> str:
        built = sum(not isinstance(one.network, str) for one in self.networks)
        return (f"<explanation: {format_briefly(self.formula)} over {show_alphabet(self.alphabet)}; "
                f"{fragment_of(self.formula)}; {built} of {len(self.networks)} regimes have a network>")

    def _repr_html_(self) -> str:
        return printed_to_html(lambda out: print_explanation(out, self, "ascii", False))


def explain_formula(formula: Formula, alphabet: tuple[str, ...], gamma: Constant,
                    as_printed: bool = False, weighting: Weighting = Weighting.SOFTMAX) -> Explanation:
    """Compile the formula in every regime."""
    def build(regime: Regime) -> Built:
        return Built(regime, _compile(formula, alphabet, regime, gamma, as_printed, weighting=weighting))

    return Explanation(formula, alphabet, gamma, tuple(build(regime) for regime in ALL_REGIMES), weighting=weighting)


def explain_floats(explanation: Explanation, gamma: Constant | None = None,
                   progress: Callable[[str], None] = lambda _: None) -> Explanation:
    """Return the explanation with the reach of each float model, and with the low-precision network.

    The latter has the constant ``gamma``, or its usual one.
    """
    regime = Regime(Sharpening.POSITION)
    low = Built(regime, _compile(explanation.formula, explanation.alphabet, regime, gamma or GAMMA, False, TRIED.last),
                LOW_PRECISION)
    found = []
    for built in (*explanation.networks, low):
        progress(built.title)
        reach = None if isinstance(built.network, str) else find_reach(built.network, progress=progress)
        found.append(replace(built, reach=reach))
    return replace(explanation, networks=tuple(found), floats=True)


def _compile(formula: Formula, alphabet: tuple[str, ...], regime: Regime, gamma: Constant,
             as_printed: bool, low_precision_up_to: int | None = None,
             weighting: Weighting = Weighting.SOFTMAX) -> Transformer | str:
    try:
        return compile_formula(formula, alphabet, regime, gamma, as_printed,
                               low_precision_up_to=low_precision_up_to, weighting=weighting)
    except Unsupported as construct:
        return str(construct)


def print_explanation(out: Console, explanation: Explanation, style: Style, parenthesize: bool) -> None:
    """Print the fragment, sizes and networks of a formula, before anything is certified."""
    parts = subformulas(explanation.formula)
    out.print(plain(f"formula   {describe_formula(explanation.formula, style, parenthesize)}"))
    out.print(plain(f"alphabet  {show_alphabet(explanation.alphabet)}"))
    out.print(plain(f"fragment  {fragment_of(explanation.formula)}; {counted(len(parts), 'subformula')}"))
    out.print(plain(f"gamma     {explanation.gamma}, the constant in front of the scores"))
    if not explanation.weighting.is_softmax:
        out.print(plain(f"weighting {explanation.weighting.value}, in place of softmax"))
    for line in explanation.language:
        out.print(plain(f"language  {line}"))
    for title, lines in lesson_lines(explanation.lesson) if explanation.lesson else ():
        out.print()
        out.print(plain(title, style="bold"))
        for line in lines:
            out.print(plain(f"  {line}"))
    for built in explanation.networks:
        out.print()
        out.print(plain(built.title, style="bold"))
        if isinstance(built.network, str):
            out.print(plain(f"  unsupported: {built.network}"))
            continue
        for name, value in network_facts(built.network, style).items():
            shown = _listed(value) if isinstance(value, list) else str(value)
            out.print(plain(f"  {name:21}{shown}"))
        if explanation.floats:
            out.print(plain(f"  {'floats, n <=':21}{show_reach(built.reach)}"))
    if explanation.floats:
        out.print()
        out.print(plain(f"floats: the greatest n up to {TRIED.last} for which the bounds of the producer hold; "
                        "certify floats asks the checker, too"))


def _listed(texts: list[str]) -> str:
    more = f"; and {len(texts) - MANY} more" if len(texts) > MANY else ""
    return ("; ".join(texts[:MANY]) or "none") + more


def network_facts(network: Transformer, style: Style = "ascii") -> dict[str, Any]:
    """Return the statements used, sizes, temperatures and position embeddings of a network."""
    def show(expression: Any) -> str:
        return str(expression.latex()) if style == "latex" else str(expression)

    heads = [head for _, _, head in network.heads()]
    return {
        "statements": sorted({head.source for head in heads}),
        **sizes_of(network),
        "temperature": sorted({show(head.temperature) for head in heads}),
        "position embeddings": [show(expression) for expression in network.position_embedding.values()],
    }


def explanation_to_json(explanation: Explanation) -> dict[str, Any]:
    """Return the same facts, one object per regime."""
    language = {"language": list(explanation.language)} if explanation.language else {}
    return {
        "formula": format_formula(explanation.formula),
        "fragment": fragment_of(explanation.formula),
        "alphabet": list(explanation.alphabet),
        "gamma": str(explanation.gamma),
        "weighting": explanation.weighting.value,
        "subformulas": _subformulas_to_json(explanation.formula),
        "regimes": [_built_to_json(built, explanation.floats) for built in explanation.networks],
    } | language | (lesson_to_json(explanation.lesson) if explanation.lesson else {})


def _subformulas_to_json(formula: Formula) -> list[str]:
    """Return the subformulas as text; many or long ones as a table with ``$k`` for the kth.

    See docs/reference/certificate.md, 1.
    """
    parts = subformulas(formula)
    texts = texts_of(parts)
    return list(texts.entries) or [texts.formula(part) for part in parts]


def _built_to_json(built: Built, floats: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"regime": built.regime.sharpening.value, "causal": built.regime.causal}
    if built.precision:
        found["for"] = built.precision
    if isinstance(built.network, str):
        return found | {"unsupported": built.network}
    found |= network_facts(built.network)
    if floats:
        found["float_executions"] = None if built.reach is None else {"tried": TRIED.last, "bounded": dict(built.reach)}
    return found


# -- how long words may be in float executions of a network that is not sealed -----------------------------------------


def find_reach(network: Transformer, lengths: Lengths = TRIED,
               progress: Callable[[str], None] = lambda _: None) -> Reach | None:
    """Return the reach of the default float models by the bounds alone; None if the network fails over the reals.

    ``certify floats`` also runs the checker.
    """
    from certify.claims.floats.survey import name_irrational
    from certify.claims.formula.pipeline import sketch
    from proofs.floats.verdict import certified_bounds, find_largest_length
    from proofs.formula.discharge import DischargedObligations

    lines = sketch(network, lengths, None, DischargedObligations())
    if not all(line.proved for line in lines):
        return None
    bounds, reach = certified_bounds(lines), {}
    for float_model in read_models([]):
        progress(f"bounding runs of {float_model.name}")
        reach[float_model.name] = (None if name_irrational(network, lengths, float_model) else
                                 find_largest_length(network, bounds, lengths, float_model))
    return reach


def show_reach(reach: Reach | None) -> str:
    """Return the lengths on one line.

    >>> show_reach({"binary32": 64, "bfloat16": None})
    'binary32 64, bfloat16 none'
    >>> show_reach(None)
    'not certified over the real numbers'
    """
    if reach is None:
        return "not certified over the real numbers"
    return ", ".join(f"{name} {'none' if last is None else last}" for name, last in reach.items())
