"""Key-value cache of the tokens of inputs, in all executions under a float model.

See docs/background/floats_rules.md, section 7.
"""

from collections.abc import Iterator, Sequence

from ..zonotopes.affine import AffineForm
from .form_stack import FloatStack, KeysAndValues, QueryBounds, bits_of_token
from .shared_symbols import placed


class CachedExecutions:
    """The streams of the tokens of a word; causal networks keep those of the prefix shared with the word before."""

    def __init__(self, stack: FloatStack, offset: int) -> None:
        self.stack, self._offset = stack, offset
        self._tokens: list[int] = []
        self._attended: list[list[KeysAndValues]] = [[] for _ in stack.stages]
        self._last: list[QueryBounds] = []
        self._ends: list[int] = []
        self._starts: dict[tuple[int, int], tuple[QueryBounds, KeysAndValues]] = {}

    def attended(self, tokens: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, AffineForm]]:
        """Yield the streams at these places after the last attention step; after the last step, if that passes all."""
        if not self.stack.network.causal or not self.stack.stages:
            yield from self._all_attended(tokens, places)
            return
        common = next((k for k, (a, b) in enumerate(zip(tokens, self._tokens, strict=False)) if a != b),
                      min(len(tokens), len(self._tokens)))
        del self._tokens[common:], self._last[common:], self._ends[common:]
        for kept in self._attended:
            self.stack.budget.release(sum(map(bits_of_token, kept[common:])))
            del kept[common:]
        for token in tokens[common:]:
            self._add(token)
        for place in places:
            yield place, self.stack.attend_last(self._last[place], self._attended[-1][:place + 1])

    def _add(self, token: int) -> None:
        """Append a token, up to the last attention step, which is computed at judged places only."""
        stack, last = self.stack, len(self.stack.stages) - 1
        query, attended = self._start(len(self._tokens), token)
        for number, stage in enumerate(stack.stages):
            stack.budget.hold(bits_of_token(attended))
            self._attended[number].append(attended)
            if number < last:
                after = stack.stages[number + 1]
                start, base = ((attended.end, attended.end) if stage.shared else
                               (1, self._ends[-1] if self._ends and after.shared else 1))
                stream = placed(stack.budget, stack.attend_and_pass(stage, query, self._attended[number]), start, base,
                                stack.kept)
                query, attended = stack.project(after, stream, query.place, query.position)
        self._ends.append(attended.end)
        self._tokens.append(token)
        self._last.append(query)

    def _start(self, place: int, token: int) -> tuple[QueryBounds, KeysAndValues]:
        """Return a token at the first attention step, with its keys and values: the same in all inputs."""
        found, stack = self._starts.get((place, token)), self.stack
        if found is None:
            stream = stack.embed(token, self._offset + place)
            found = self._starts[place, token] = stack.project(stack.stages[0], stream, place, self._offset + place)
            stack.budget.hold(bits_of_token(found[1]))
        return found

    def _all_attended(self, tokens: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, AffineForm]]:
        stack = self.stack
        stack.budget.spend(len(tokens) ** 2)
        operations, network = stack.operations, stack.network
        streams = stack.all_between(stack.first, [operations.embed(network, token, self._offset + place)
                                                  for place, token in enumerate(tokens)])
        end = 1
        for number, stage in enumerate(stack.stages, 1):
            both, end = stack.project_all(stage, streams, self._offset, end)
            attended = [one for _, one in both]
            if number == len(stack.stages) and not network.of_input:
                yield from ((place, stack.attend_last(both[place][0], attended)) for place in places)
                return
            seen = [attended[:query.place + 1] if network.masked else attended for query, _ in both]
            streams = [stack.attend(stage, query, those, end) for (query, _), those in zip(both, seen, strict=True)]
            streams = stack.all_between(stage.after, streams, fast=True)
        yield from ((place, streams[place]) for place in places)
