"""How far the work is, in numbers and on standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from certify.progress import ProgressLine

if TYPE_CHECKING:
    from rich.progress import Progress


@dataclass(frozen=True)
class Standing:
    """Of ``total`` shards so many are ``done``, ``kept`` of them before this run; ``damaged`` files are done again.

    Sizes are those that the caller gave to the tasks (1 each, if none): the rate and the estimate are made of them.
    """

    done: int
    total: int
    kept: int
    damaged: int
    size_done: int
    size_total: int
    size_kept: int

    def describe(self, seconds: float, unit: str, parts: str = "shards") -> str:
        """One line: what is done, at which rate, and how long the rest takes at this rate.

        The rate is that of sizes, in units; if the ``parts`` themselves are the unit, they are counted, and sizes make
        the estimate alone. There is one as soon as a hundredth of the work is done.

        >>> Standing(20, 60, 5, 1, 20, 60, 5).describe(30, "shards")
        '20 of 60 shards (5 found on disk, 1 damaged file done again), 0.5 shards/s, about 80 s left'
        >>> Standing(5, 60, 5, 0, 50_000, 600_000, 50_000).describe(30, "words")
        '5 of 60 shards (5 found on disk)'
        >>> Standing(2, 60, 0, 0, 12, 600_000, 0).describe(3, "words")
        '2 of 60 shards, 4 words/s'
        >>> Standing(2, 5, 0, 0, 60, 120, 0).describe(8, "examples", "examples")
        '2 of 5 examples, 0.25 examples/s, about 8 s left'
        """
        notes = [f"{self.kept} found on disk"] if self.kept else []
        if self.damaged:
            notes.append(f"{self.damaged} damaged file{'s' * (self.damaged > 1)} done again")
        text = f"{self.done} of {self.total} {parts}" + (f" ({', '.join(notes)})" if notes else "")
        fresh = self.size_done - self.size_kept
        if fresh <= 0 or seconds <= 0:
            return text
        text += f", {_short((self.done - self.kept if unit == parts else fresh) / seconds)} {unit}/s"
        if 100 * fresh < self.size_total - self.size_kept:
            return text
        return f"{text}, about {_duration((self.size_total - self.size_done) * seconds / fresh)} left"


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


def _duration(seconds: float) -> str:
    """In seconds, or in hours and minutes.

    >>> _duration(59.6), _duration(3 * 3600 + 125)
    ('60 s', '3 h 02 min')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


class ShardsProgress:
    """A bar on standard error if that is a terminal; elsewhere a line every ten seconds, and none for short work."""

    def __init__(self, what: str, unit: str = "shards", parts: str = "shards") -> None:
        self._what, self._unit, self._parts = what, unit, parts
        self._start = monotonic()
        self._line = ProgressLine()
        self._bar: Progress | None = None

    def __call__(self, standing: Standing) -> None:
        """Say how far the work is."""
        text = standing.describe(monotonic() - self._start, self._unit, self._parts)
        if not sys.stderr.isatty():
            self._line(f"{self._what}: {text}")
            return
        if self._bar is None:
            self._bar = self._open_bar()
        (task,) = self._bar.task_ids
        self._bar.update(task, total=standing.size_total, completed=standing.size_done, standing=text)

    def _open_bar(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TimeElapsedColumn(),
                   TextColumn("{task.fields[standing]}", markup=False))
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task(self._what, standing="")
        bar.start()
        return bar

    def __enter__(self) -> ShardsProgress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._line.__exit__(kind, error, trace)
