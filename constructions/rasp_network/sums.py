"""``psum j [j<=i] value``: counts of finitely many truths, each times an integer."""

from constructions.errors import Unsupported
from constructions.rasp_network.evaluation import Evaluator
from constructions.rasp_network.integers import Integer
from constructions.rasp_network.lookups import Lookups
from constructions.rasp_network.tables import Table, combine, residuals, tabulate


def prefix_sum(lookups: Lookups, evaluator: Evaluator, value: Integer) -> Integer:
    """The sum over j <= i of a value at (i, j).

    Where it depends on i, there is one sum for each case of i, and the right one is chosen.

    Raises:
        Unsupported: if the value has no constant bound.
    """
    if value.rows:
        raise Unsupported("the sum of an integer without a constant bound")
    here = [slot for slot in value.table.slots if slot[1] == "i"]
    result: Integer | None = None
    for rest, cases in residuals(value.table, here).items():
        added = _sum_at_j(lookups, evaluator, rest)
        if result is None:
            result = added
        else:
            condition = tabulate(here, lambda *case, cases=cases: case in cases)
            chosen = evaluator.choose(condition, added, result)
            assert isinstance(chosen, Integer), "both are integers"
            result = chosen
    assert result is not None, "a function has a case"
    return result


def _sum_at_j(lookups: Lookups, evaluator: Evaluator, value: Table) -> Integer:
    """The sum of what depends on j alone: a multiple of i, and the count of each value times its distance."""
    base = max(value.range, key=lambda number: (value.outputs.count(number), -number))
    result = lookups.count(combine(lambda number: True, value)) if base else Integer()
    result = Integer().plus(result, base)
    for number in value.range:
        if number != base:
            holds = combine(lambda held, number=number: held == number, value.at("i"))
            result = evaluator.sum(result, lookups.count(holds), number - base)
    return result
