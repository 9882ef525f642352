"""Definition of a numerical predicate: a rule with a name and parameters; ``predicates`` lists the built-in ones."""

from collections.abc import Callable
from dataclasses import dataclass, field

from constructions.language.expressions import Expression


@dataclass(frozen=True)
class PredicateDefinition:
    """The rule ``holds(k, n, parameters)`` for integers k and n >= 1, with ``parameter_count`` parameters.

    Two definitions are equal if their texts are; the ``description`` of a user's predicate is its definition, and
    ``condition`` the expression after ``:=`` there, in the variables k and n.
    """

    name: str
    parameter_count: int
    holds: Callable[[int, int, tuple[int, ...]], bool] = field(compare=False, repr=False)
    description: str
    depends_on_n: bool = False
    first_parameter_at_least: int = 0
    condition: Expression | None = field(default=None, compare=False, repr=False)

    def find_problem(self, parameters: tuple[int, ...]) -> str | None:
        """Return the message about wrong parameters, or None.

        >>> from constructions.language.predicates import BUILTIN
        >>> BUILTIN["MOD"].find_problem((3,))
        'MOD takes 2 parameters, got 1'
        """
        if len(parameters) != self.parameter_count:
            plural = "" if self.parameter_count == 1 else "s"
            return f"{self.name} takes {self.parameter_count or 'no'} parameter{plural}, got {len(parameters)}"
        if parameters and parameters[0] < self.first_parameter_at_least:
            least = self.first_parameter_at_least
            return f"{self.name} takes a first parameter of at least {least}, got {parameters[0]}"
        return None
