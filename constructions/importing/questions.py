"""Questions that the files leave open; answers must not contradict the files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeVar

from constructions.errors import InputError
from constructions.text import printable
from constructions.trained.network import Activation, Attends, Scale

NormKind = Literal["layer", "rms", "none"]
Positions = Literal["learned", "sinusoidal", "alibi", "none"]
READOUTS: dict[str, str] = {
    "each": "of each token", "first": "of the first token only", "last": "of the last token only",
    "mean": "of the mean over all tokens, padding too, of the stream"}
Place = Literal["embedding", "final", "pooled"]
PLACES: dict[Place, str] = {
    "embedding": "of token vectors and positions together", "final": "after the layers",
    "pooled": "of the mean over all tokens"}
V = TypeVar("V")
Like = Literal["torch", "gpt2", "llama"]
PRESETS: dict[Like, dict[str, Any]] = {
    "torch": {"attention": "bidirectional", "activation": "relu", "epsilon": Fraction("1e-5"), "norm": "layer",
              "norm_first": False},
    "gpt2": {"attention": "causal", "activation": "gelu-tanh", "epsilon": Fraction("1e-5"), "norm": "layer",
             "norm_first": True, "readout": "each"},
    "llama": {"attention": "causal", "activation": "silu", "epsilon": Fraction("1e-6"), "norm": "rms",
              "norm_first": True, "rotary_base": Fraction(10000), "readout": "each"}}
"""Answers that a state dict does not give: defaults of nn.TransformerEncoderLayer, GPT-2 and LLaMA."""

DEFAULT_ROWS = 512
"""The rows of computed tables, if no smaller number is given."""
MAX_COMPUTED = 1_000_000
"""Limit of the numbers of one computed table."""


@dataclass(frozen=True)
class Options:
    """The answers of a user, None where there is no answer. The names are those of the command line."""

    attention: Attends | None = None
    activation: Activation | None = None
    norm: NormKind | None = None
    epsilon: Fraction | None = None
    heads: int | None = None
    norm_first: bool | None = None
    positions: Positions | None = None
    rows: int | None = None
    embedding_scale: Literal["sqrt(d)"] | None = None
    token_table: str | None = None
    position_table: str | None = None
    output_layer: str | None = None
    rotary_base: Fraction | None = None
    given: tuple[tuple[str, int | None], ...] | None = None
    """Constant value of each graph input other than the tokens; None: the number of the position."""
    kind: str | None = None
    readout: str | None = None
    place: tuple[tuple[str, Place], ...] | None = None
    like: Like | None = None
    """``place``: norms outside the layers, by place; ``like``: the preset of answers to open questions."""

    def renamed(self, rename: Callable[[str], str]) -> Options:
        """Return the answers with the names of tensors mapped."""
        names: dict[str, Any] = {name: rename(value) for name in ("token_table", "position_table", "output_layer")
                                 if (value := getattr(self, name)) is not None}
        place = self.place and tuple((rename(name), where) for name, where in self.place)
        return replace(self, **names, place=place)


class Unanswered(InputError):
    """Questions that files leave open; ``program`` describes the network with placeholders, in plain lines."""

    program: tuple[str, ...] = ()


_HOW = {
    "attention": "--attention causal or bidirectional, which the weights do not show",
    "activation": "--activation relu, gelu (by erf), gelu-tanh, silu, sigmoid or tanh, which the weights do not show",
    "norm": "--norm layer or rms (then --epsilon, too), or none where norms have no weights, which do not show it",
    "epsilon": "--epsilon of the norms, which the weights do not show (the default of PyTorch is 1e-5)",
    "heads": "--heads H, the number of heads, since the weights of all heads are one matrix",
    "norm_first": "--norm-first or --norm-last, since the weights of the norms are the same",
    "rotary_base": "--rotary-base of the angles of rotary positions, which the weights do not show (often 10000)",
    "positions": "--positions learned, sinusoidal, alibi or none, since no table of positions was recognised",
    "readout": "--readout each, first, last (the tokens that have logits) or mean (over all tokens), which the weights "
               "do not show",
    "token_table": "--token-table NAME, since it is not clear which tensor that is",
    "position_table": "--position-table NAME, since it is not clear which tensor that is",
    "output_layer": "--output-layer NAME, the weight that makes logits (that of the tokens, if they are tied), "
                    "since it is not clear which tensor that is",
}
"""The text about a question without an answer."""
_PLACEHOLDERS: dict[str, Any] = {
    "attention": "causal", "activation": "relu", "norm": "none", "epsilon": Fraction(1), "heads": 1,
    "norm_first": True, "positions": "none", "rotary_base": Fraction(10000), "readout": "each"}  # fmt: skip
"""With these recognition continues, so that one message has all open questions."""


class Questions:
    """Collector of answers from options, and of questions without one; ``where`` names the files."""

    def __init__(self, options: Options, where: str) -> None:
        self.options = options
        self.where = where
        self.notes: list[str] = []
        self._used: set[str] = {"kind"}
        self._open: dict[str, tuple[str, Any]] = {}
        if options.readout not in (None, *READOUTS):
            raise InputError(f"--readout {printable(str(options.readout))[:40]}: expected {', '.join(READOUTS)}; for "
                             f"others export the program (.pt2 or .onnx)")

    def option(self, name: str) -> Any:
        """Return the answer, or None; it counts as used."""
        self._used.add(name)
        return getattr(self.options, name)

    def ask(self, name: str, placeholder: Any = None) -> Any:
        """Return the answer; without one a placeholder, and ``finish`` will raise an error."""
        answer = self.option(name)
        preset = PRESETS[self.options.like].get(name) if self.options.like else None
        if answer is None and preset is not None:
            self._used.add("like")
            self.assume(f"{self._written(name, preset)}, as --like {self.options.like} says")
            return preset
        if answer is None:
            answer = _PLACEHOLDERS.get(name) if placeholder is None else placeholder
            self.open(name, _HOW[name], answer)
            if answer is None:
                raise self.complaint()
        return answer

    def open(self, name: str, how: str, placeholder: Any = None) -> None:
        """Record that an answer is missing, and its placeholder."""
        self._open.setdefault(name, (how, placeholder))

    @property
    def placeholders(self) -> str:
        """The placeholders of the missing answers."""
        shown = [f"{self.shown(name)} {value}" for name, (_, value) in self._open.items() if value is not None]
        return ", ".join(shown).replace("--norm-last True", "--norm-first")

    @property
    def is_open(self) -> bool:
        """True if answers other than the kind are missing."""
        return bool(self._open.keys() - {"kind"})

    def shown(self, name: str) -> str:
        """Return the option as the user wrote it."""
        value = getattr(self.options, name)
        if name == "norm_first":
            return "--norm-first" if value else "--norm-last"
        return f"--{name.replace('_', '-')}"

    def _written(self, name: str, value: Any) -> str:
        """Return an option with a value, as a user would write it."""
        if name == "norm_first":
            return "--norm-first" if value else "--norm-last"
        if isinstance(value, Fraction):
            value = f"{Decimal(value.numerator) / value.denominator:f}"
        return f"{self.shown(name)} {value}"

    def stated(self, name: str, value: V, by: str) -> V:
        """Return the value that the file states; the answer must agree."""
        answer = self.option(name)
        if answer is not None and answer != value:
            raise InputError(f"{self.where}: {self.shown(name)} {answer}, but {by} says {value}")
        return value

    def either(self, name: str, value: V | None, by: str) -> V:
        """Return the value that the file states, or else the answer."""
        result: V = self.ask(name) if value is None else self.stated(name, value, by)
        return result

    def assume(self, note: str) -> None:
        """Record a fact about every network of this kind, for the report."""
        self.notes += [note] if note not in self.notes else []

    def finish(self, program: tuple[str, ...] = ()) -> None:
        """Check that all questions have answers, and all answers questions; the error shows the ``program``."""
        if self._open:
            raise self.complaint(program)
        for field in fields(self.options):
            if getattr(self.options, field.name) is not None and field.name not in self._used:
                raise InputError(f"{self.where}: {self.shown(field.name)} has no effect, as nothing in the "
                                 f"network depends on it, expected it to be omitted")

    def complaint(self, program: tuple[str, ...] = ()) -> Unanswered:
        """Return the error about the open questions, in one line."""
        later = " (it is shown once all others are answered)" if "kind" in self._open and not program else ""
        likes = [like for like, answers in PRESETS.items() if len(self._open.keys() & answers) > 1]
        preset = f"; or --like {' or '.join(likes)} for its defaults" if likes and not self.options.like else ""
        wanted = Unanswered(f"{self.where}: the file leaves questions open, expected "
                            f"{'; '.join(how for how, _ in self._open.values())}{later}{preset}")
        wanted.program = program
        return wanted


# -- answers that several recognisers need -----------------------------------------------------------------------------


def score_scale(questions: Questions, head_width: int) -> Scale:
    """Return one over the square root of the width of a head, the usual factor."""
    questions.assume("scores are divided by the square root of the heads' width")
    return Scale(root=head_width)


def table_rows(questions: Questions, most: int | None, columns: int) -> int:
    """Return the number of rows of a computed table: as the user states, within the limit of the settings."""
    limit = min(most or MAX_COMPUTED, MAX_COMPUTED // columns)
    rows = questions.option("rows")
    if rows is not None and not 1 <= rows <= limit:
        raise InputError(f"{questions.where}: --rows {rows}, expected 1 to {limit}")
    result: int = rows or min(limit, DEFAULT_ROWS)
    questions.assume(f"the tables of positions are computed for {result} positions" + (f" of {most}" if most else ""))
    return result


ACTIVATIONS: dict[str, Activation] = {
    "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "gelu_fast": "gelu-tanh", "gelu": "gelu",
    "gelu_python": "gelu", "relu": "relu", "silu": "silu", "swish": "silu", "sigmoid": "sigmoid", "tanh": "tanh"}
"""Names of activations in Hugging Face."""
