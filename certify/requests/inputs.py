"""The inputs as users write them: the options of a subject as texts, and the three kinds of subjects."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from constructions.network.weightings import Weighting

if TYPE_CHECKING:
    from certify.requests.programs import AnyProgram
    from constructions.language.syntax import Formula
    from constructions.network.lengths import Lengths
    from constructions.network.transformer import Transformer
    from constructions.regimes import Regime
    from constructions.regular.to_ltl import DefinedLanguage

Attention = Literal["soft", "hard"]
MOST = 10**9
"""The greatest effort, or number of rows."""


@dataclass(frozen=True)
class Options:
    """The options of a subject, as texts, with their defaults."""

    alphabet: str | tuple[str, ...] | None = None
    symbol: str | None = None
    predicates: tuple[str, ...] = ()
    regime: str | None = None
    causal: bool = False
    as_printed: bool = False
    attention: Attention = "soft"
    gamma: str | None = None
    temperature: str | None = None
    allowed_error: str | None = None
    precision: str | None = None
    dialect: str | None = None
    regex: str | None = None
    dfa: str | None = None
    weighting: str | None = None
    given: str | None = None

    @property
    def is_language(self) -> bool:
        """Whether the subject is a regular language instead of a formula."""
        return (self.regex, self.dfa) != (None, None)

    @property
    def named(self) -> list[str]:
        """The names of the options that are given."""
        return [field.name for field in fields(self) if getattr(self, field.name) != field.default]


def as_option(name: str) -> str:
    """Return the option as the command line spells it.

    >>> as_option("as_printed"), as_option("allowed_error")
    ('--as-printed', '--delta')
    """
    spelled = {"predicates": "--predicate", "allowed_error": "--delta", "attention": "--weighting"}
    return spelled.get(name, "--" + name.replace("_", "-"))


def as_key(name: str) -> str:
    """Return the option as a claims file spells it.

    >>> as_key("as_printed"), as_key("allowed_error")
    ('as_printed', 'delta')
    """
    return {"allowed_error": "delta", "predicates": "predicate"}.get(name, name)


@dataclass(frozen=True)
class FormulaSubject:
    """A formula, and how the network that computes it is built. ``text`` is its notation.

    With a ``precision``, the name of a format, the constructions are those for low precision. ``reading`` says what
    other tools would read differently in what was written; it is empty if nothing. The text may be what an option says,
    ``--regex``, in place of a formula; then ``language`` has what is known of it.
    """

    text: str
    formula: Formula
    alphabet: tuple[str, ...]
    regime: Regime
    predicates: tuple[str, ...] = ()
    as_printed: bool = False
    attention: Attention = "soft"
    precision: str | None = None
    reading: str = ""
    option: str | None = None
    language: DefinedLanguage | None = None
    weighting: Weighting = Weighting.SOFTMAX


@dataclass(frozen=True)
class NetworkSubject:
    """A network from a model file or a certificate; its regime is claimed only if the file states one.

    ``certified`` are the lengths of the words that the certificate is about.
    """

    name: str
    network: Transformer
    regime: Regime | None = None
    certified: Lengths | None = None


@dataclass(frozen=True)
class ProgramSubject:
    """A program as its own subject: it is run as it is, or compiled to hard attention."""

    name: str
    program: AnyProgram


Subject = FormulaSubject | NetworkSubject | ProgramSubject
