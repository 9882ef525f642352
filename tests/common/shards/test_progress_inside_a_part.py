"""Progress of a part that this process does: in words or lengths, with about the time that is left."""

import pytest

from certify.common.shards import progress as shards_progress
from certify.common.shards.progress import ShardsProgress
from constructions.language.syntax import TRUE
from constructions.progress import listening, report_progress
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import survey_all
from tests.trained.claims import claim_of, network_of

Reports = list[tuple[str, int, int]]


def test_words_are_counted_to_all_that_there_are() -> None:
    attended: Reports = []
    with listening(lambda *printed: attended.append(printed)):
        survey_all(FloatNetwork(network_of()), claim_of([TRUE]), 0, range(1, 5))
    assert {unit for unit, _, _ in attended} == {"words"} and {total for _, _, total in attended} == {30}
    done = [one for _, one, _ in attended]
    assert done == sorted(done) and done[-1] == 30


def test_the_innermost_listener_is_told_and_nobody_where_there_is_none() -> None:
    outer: Reports = []
    inner: Reports = []
    report_progress("words", 1, 2)
    with listening(lambda *printed: outer.append(printed)):
        with listening(lambda *printed: inner.append(printed)):
            report_progress("words", 1, 2)
        report_progress("lengths", 2, 2)
    assert (outer, inner) == ([("lengths", 2, 2)], [("words", 1, 2)])


def test_the_line_has_the_rest_at_this_rate(monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    monkeypatch.setattr(shards_progress, "monotonic", lambda: now[0])
    monkeypatch.setattr("certify.common.progress.monotonic", lambda: now[0])
    progress = ShardsProgress("searching", "parts", "parts")
    for now[0], done in ((2.0, 0), (13.0, 1_000), (24.0, 3_000)):
        progress.hear("words", done, 5_000)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["certify: 2 s: searching: 0 of 5,000 words",
                     "certify: 13 s: searching: 1,000 of 5,000 words, about 44 s more",
                     "certify: 24 s: searching: 3,000 of 5,000 words, about 15 s more"]
