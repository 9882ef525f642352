"""Deadlines ring: work that never looks at the clock is ended, within a real second."""

import signal
import threading

import pytest

from constructions.deadline import TimeIsUp, time_limit


def work_without_end() -> None:
    while True:
        sum(range(1000))


def test_work_that_never_looks_at_the_clock_is_ended() -> None:
    with pytest.raises(TimeIsUp, match=r"time is up \(--timeout 1\)"), time_limit(1):
        work_without_end()
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_deadline_within_another_leaves_it_as_it_was() -> None:
    with time_limit(500):
        with pytest.raises(TimeIsUp, match="--timeout 1"), time_limit(1):
            work_without_end()
        assert 100 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500
        with time_limit(1000):
            assert 100 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_no_alarm_is_set_in_a_thread() -> None:
    seen: list[tuple[float, float]] = []

    def work() -> None:
        with time_limit(5):
            seen.append(signal.getitimer(signal.ITIMER_REAL))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(0, 0)]
