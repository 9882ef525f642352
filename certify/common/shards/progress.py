"""Progress of sharded work, in numbers and on standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from certify.common.progress import ProgressLine, is_silent
from constructions.deadline import check_deadline

if TYPE_CHECKING:
    from rich.progress import Progress


@dataclass(frozen=True)
class ShardsState:
    """The counts of shards: ``done`` of ``total``, ``kept`` of them before this run; ``damaged`` files are done again.

    Sizes are those of the tasks (1 each by default); rate and estimate are computed from them. At most ``workers``
    shards run at a time.
    """

    done: int
    total: int
    kept: int
    damaged: int
    size_done: int
    size_total: int
    size_kept: int
    workers: int = 1

    def describe(self, seconds: float, unit: str, parts: str = "shards", idle: float = 0) -> str:
        """Describe the progress in one line: shards done, rate, and an estimate of the remaining time if there is one.

        The rate is in sizes per second; if the ``parts`` themselves are the unit, it counts parts, and no time is
        estimated. Nor is it before a hundredth of the work and two shards per worker are done, when all is done, or
        when nothing has been reported for longer (``idle``) than the estimate.

        >>> ShardsState(20, 60, 5, 1, 20, 60, 5).describe(30, "words")
        '20 of 60 shards done (5 found on disk, 1 damaged file done again), 0.5 words/s, about 80 s more at this rate'
        >>> ShardsState(20, 60, 5, 0, 20, 60, 5).describe(30, "words", idle=50)
        '20 of 60 shards done (5 found on disk), 0.5 words/s, about 30 s more at this rate'
        >>> ShardsState(20, 60, 5, 0, 20, 60, 5).describe(30, "words", idle=80)
        '20 of 60 shards done (5 found on disk), 0.5 words/s'
        >>> ShardsState(2, 60, 0, 0, 12, 600_000, 0).describe(3, "words")
        '2 of 60 shards done, 4 words/s'
        >>> ShardsState(2, 3, 0, 0, 20, 30, 0, workers=2).describe(20, "words")
        '2 of 3 shards done, 1 words/s'
        >>> ShardsState(2, 5, 0, 0, 60, 120, 0).describe(8, "examples", "examples")
        '2 of 5 examples done, 0.25 examples/s'
        >>> ShardsState(1, 1, 0, 0, 9, 9, 0).describe(90, "words")
        '1 of 1 shards done, 0.1 words/s'
        """
        notes = [f"{self.kept} found on disk"] if self.kept else []
        if self.damaged:
            notes.append(f"{self.damaged} damaged file{'s' * (self.damaged > 1)} done again")
        text = f"{self.done} of {self.total} {parts} done" + (f" ({', '.join(notes)})" if notes else "")
        fresh = self.size_done - self.size_kept
        if fresh <= 0 or seconds <= 0:
            return text
        text += f", {_short((self.done - self.kept if unit == parts else fresh) / seconds)} {unit}/s"
        rest = (self.size_total - self.size_done) * seconds / fresh - idle
        if unit == parts or rest <= 0 or not self._is_far_enough(fresh):
            return text
        return f"{text}, about {_duration(rest)} more at this rate"

    def _is_far_enough(self, fresh: int) -> bool:
        """Return whether enough is done to estimate the rest; shards begun by other workers are not counted yet."""
        return 100 * fresh >= self.size_total - self.size_kept and self.done - self.kept >= 2 * self.workers


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


def _duration(seconds: float) -> str:
    """Format a duration in seconds, or in hours and minutes.

    >>> _duration(0.2), _duration(59.6), _duration(3 * 3600 + 125)
    ('1 s', '60 s', '3 h 02 min')
    """
    if seconds < 120:
        return f"{max(seconds, 1):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


@dataclass(frozen=True)
class Inside:
    """The state of a part in progress: its unit, the count and time of its first report, and its description.

    ``done`` is the last reported count; a smaller count belongs to another part.
    """

    unit: str
    first: int
    since: float
    text: str = ""
    done: int = 0

    def at(self, done: int, total: int, now: float) -> Inside:
        """Return the state after ``done`` of ``total`` units.

        >>> Inside("words", 0, 10.0).at(2_000, 6_000, 14.0).text
        '2,000 of 6,000 words, about 8 s more'
        """
        rate = (done - self.first) / (now - self.since) if now > self.since else 0
        rest = f", about {_duration((total - done) / rate)} more" if rate and done < total else ""
        return replace(self, done=done, text=f"{done:,} of {total:,} {self.unit}{rest}")


class ShardsProgress:
    """A progress bar on a terminal; elsewhere a line on standard error every ten seconds, except for short work."""

    def __init__(self, what: str, unit: str = "shards", parts: str = "shards") -> None:
        self._what, self._unit, self._parts = what, unit, parts
        self._start = self._latest = monotonic()
        self._line = ProgressLine()
        self._bar: Progress | None = None
        self._standing: ShardsState | None = None
        self._inside = Inside("", 0, 0.0)

    def __call__(self, standing: ShardsState) -> None:
        """Report the progress if there is time left.

        Raises:
            TimeIsUp: if there is not.
        """
        check_deadline()
        if is_silent():
            return
        self._standing, self._latest = standing, monotonic()
        if not sys.stderr.isatty():
            self._line(f"{self._what}: {self._describe_now()}")
            return
        if self._bar is None:
            self._bar = self._open_bar()
        (task,) = self._bar.task_ids
        counted = self._unit == self._parts
        self._bar.update(task, total=standing.total if counted else standing.size_total,
                         completed=standing.done if counted else standing.size_done)

    def hear(self, unit: str, done: int, total: int) -> None:
        """Report the progress of a part done in this process, with an estimate of its remaining time."""
        now = monotonic()
        if unit != self._inside.unit or done < self._inside.done:
            self._inside = Inside(unit, done, now)
        self._inside = self._inside.at(done, total, now)
        if not sys.stderr.isatty():
            self._line(f"{self._what}: {self._inside.text}")

    def _describe_now(self) -> str:
        """Describe the current state; the estimate counts down between reports and disappears once it has passed."""
        assert self._standing is not None, "the first report precedes the display"
        text = self._standing.describe(self._latest - self._start, self._unit, self._parts, monotonic() - self._latest)
        return "; ".join(filter(None, (text, self._inside.text)))

    def _open_bar(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
        from rich.text import Text

        shown = self._describe_now

        class StandingColumn(ProgressColumn):
            """The current description."""

            def render(self, task: Task) -> Text:
                return Text(shown())

        columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TimeElapsedColumn(),
                   StandingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task(self._what)
        bar.start()
        return bar

    def __enter__(self) -> ShardsProgress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._line.__exit__(kind, error, trace)
