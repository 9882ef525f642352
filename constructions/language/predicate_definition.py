"""What a numerical predicate is: a rule with a name and parameters; formulas hold it, and ``predicates`` lists them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from constructions.language.expressions import Expression


@dataclass(frozen=True)
class PredicateDefinition:
    """``holds(k, n, parameters)`` for integers k and n >= 1, with as many parameters as ``parameter_count`` says.

    Two definitions are equal if they are written alike; the ``description`` of a user's predicate is its definition,
    and ``condition`` what stands behind ``:=`` there, in the variables k and n.
    """

    name: str
    parameter_count: int
    holds: Callable[[int, int, tuple[int, ...]], bool] = field(compare=False, repr=False)
    description: str
    depends_on_n: bool = False
    first_parameter_at_least: int = 0
    condition: Expression | None = field(default=None, compare=False, repr=False)

    def find_problem(self, parameters: tuple[int, ...]) -> str | None:
        """What is wrong with the parameters, or None.

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
