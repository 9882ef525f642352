"""Affine forms over numbered atoms, whose values depend on the word; docs/background/margins_rules.md, section 3.

An atom is max(0, form), a normed number, or the term of a head for some queries. Equal atoms have one number, so two
forms that are equal, as tuples, denote one number in every word in which each atom has one value. Keys are texts, since
a file can choose many numbers with one hash.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from ...kernel.budget import ENTRY_BITS, Budget
from ...kernel.numbers import ZERO, Enclosure, add, multiply, size, text_of


class AtomForm(NamedTuple):
    """The form constant + sum of coefficient * atom; the atoms ascend, and no coefficient is 0."""

    constant: Fraction
    atoms: tuple[tuple[int, Fraction], ...] = ()


class Relu(NamedTuple):
    """The atom max(0, form)."""

    form: AtomForm


class Normed(NamedTuple):
    """The atom (x - mean) / sqrt(mean of squared deviations + epsilon), x the number at this place of a vector."""

    place: int
    vector: int
    epsilon: Fraction


class HeadTerm(NamedTuple):
    """The atom that a used head (by its number) adds to a direction, for these queries.

    ``origin`` is the position from which it sees, or 0 if it is unmasked. The queries are divided by the temperature,
    and then ``inverse_temperature`` is 1, unless it is irrational and encloses the missing factor. ``row`` is the
    position if that factor depends on it, as two such factors may differ; otherwise it is 0.
    """

    head: int
    name: str
    queries: tuple[AtomForm, ...]
    origin: int
    inverse_temperature: Enclosure
    row: int


Atom = Relu | Normed | HeadTerm
NOTHING = AtomForm(ZERO)
TERM_BITS = 2048  # of memory for a term of a form besides its number


class FormTuples:
    """Tuples of forms, each stored once and numbered."""

    def __init__(self, budget: Budget) -> None:
        self.rows: list[tuple[AtomForm, ...]] = []
        self._budget = budget
        self._numbers: dict[str, int] = {}

    def number(self, row: tuple[AtomForm, ...]) -> int:
        """Return the number of this tuple."""
        number = find(self._budget, self._numbers, ",".join(map(write_form, row)))
        if number == len(self.rows):
            self.rows.append(row)
        return number


class FormTable:
    """The table of atoms, and arithmetic on forms."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.atoms: list[Atom] = []
        self.vectors = FormTuples(budget)
        self._numbers: dict[str, int] = {}

    def of_atom(self, atom: Atom) -> AtomForm:
        """Return the form of a single atom."""
        number = find(self.budget, self._numbers, write_atom(atom))
        if number == len(self.atoms):
            self.atoms.append(atom)
        return AtomForm(ZERO, ((number, Fraction(1)),))

    def combine(self, terms: Iterable[tuple[AtomForm, Fraction]], constant: Fraction = ZERO) -> AtomForm:
        """Return constant + sum of factor * form."""
        total = dict[int, Fraction]()
        for form, factor in terms:
            if form.constant:
                constant = add(self.budget, constant, multiply(self.budget, form.constant, factor))
            for atom, coefficient in form.atoms:
                more = multiply(self.budget, coefficient, factor)
                total[atom] = add(self.budget, total.get(atom, ZERO), more)
        atoms = tuple(sorted((atom, value) for atom, value in total.items() if value))
        self.budget.spend(1 + (size(constant) >> 8) + len(atoms))
        self.budget.hold(ENTRY_BITS + size(constant) + sum(TERM_BITS + size(value) for _, value in atoms))
        return AtomForm(constant, atoms)

    def read(self, weights: Mapping[str, Fraction], vector: Mapping[str, AtomForm],
             constant: Fraction = ZERO) -> AtomForm:
        """Return a linear form of a vector, which contains all directions that it reads."""
        return self.combine(((vector[name], weight) for name, weight in weights.items()), constant)

    def relu(self, form: AtomForm) -> AtomForm:
        """Return max(0, form), exact where the form is."""
        return self.of_atom(Relu(form)) if form.atoms else AtomForm(max(ZERO, form.constant))


def find(budget: Budget, numbers: dict[str, int], text: str) -> int:
    """Return the number of a text, the next one if it is new."""
    budget.spend(1 + (len(text) >> 4))
    if text not in numbers:
        budget.hold(ENTRY_BITS + 8 * len(text))
        numbers[text] = len(numbers)
    return numbers[text]


def write_form(form: AtomForm) -> str:
    """Return a text that two forms share if and only if they are equal."""
    return "+".join([text_of(form.constant), *(f"{atom}*{text_of(value)}" for atom, value in form.atoms)])


def write_atom(atom: Atom) -> str:
    """Return a text that two atoms share if and only if they are equal."""
    if isinstance(atom, Relu):
        return f"relu {write_form(atom.form)}"
    if isinstance(atom, Normed):
        return f"norm {atom.place} {atom.vector} {text_of(atom.epsilon)}"
    factor = f"{','.join(map(text_of, atom.inverse_temperature))} {atom.row}"
    return f"answer {atom.head} {atom.origin} {factor} {','.join(map(write_form, atom.queries))} {atom.name}"
