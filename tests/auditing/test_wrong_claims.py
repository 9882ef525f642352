"""Several wrong claims of a file are several rows, and the others are decided."""

from pathlib import Path

import pytest

from certify import InputError, audit_file

CLAIMS = """
[[claim]]
name = "right"
formula = "prev Q_1"
alphabet = "01"
lengths = 3

[[claim]]
name = "no-key"
formula = "Q_1"
lenghts = 3

[[claim]]
name = "not a name"
formula = "Q_1"

[[claim]]
name = "no-file"
model = "missing.json"

[[claim]]
name = "no-value"
formula = "Q_1"
alphabet = "01"
lengths = 3
gap = "1/(n-2)"
"""


def test_wrong_claims_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(CLAIMS, encoding="utf-8")
    report = audit_file(path)
    assert [(claim.name, claim.verdict) for claim in report.claims] == [
        ("right", "certified"), ("no-key", "malformed"), ("claim-3", "malformed"), ("no-file", "malformed"),
        ("no-value", "malformed")]
    assert ["lenghts" in report.claims[1].reason, "missing.json" in report.claims[3].reason] == [True, True]
    assert report.exit_code == 2 and not report
    assert 'class="malformed' in report.html() or "malformed" in report.html()


def test_the_only_claim_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(CLAIMS.split("[[claim]]")[2].join(["[[claim]]", ""]), encoding="utf-8")
    with pytest.raises(InputError, match="claim 'no-key'"):
        audit_file(path)
