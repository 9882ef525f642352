"""What an audit prints and writes of a claim that asks nothing, and its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from certify import Network

MARKER = str(Path(__file__).parents[2] / "examples" / "models" / "first_by_marker.json")


def test_the_reports_of_an_audit_say_vacuous_and_its_status_is_0(certify: Any) -> None:
    Path("c.toml").write_text(f'[[claim]]\nname = "x"\nmodel = "{MARKER}"\ngap = "1"\nlengths = "1..1"\n',
                              encoding="utf-8")
    done = certify("audit", "c.toml", "--html", "c.html", "--markdown", "c.md", "--csv", "c.csv", "--json")
    (claim,) = done.json["claims"]
    assert done.code == 0 and claim["verdict"] == claim["rows"][0]["verdict"] == "vacuous"
    assert all("vacuous" in Path(name).read_text(encoding="utf-8") for name in ("c.html", "c.md", "c.csv"))
    assert "1 vacuous" in certify("audit", "c.toml").out
    alone = certify("audit", "--model", MARKER, "--gap", "1", "--max-n", "1")
    assert alone.code == 0 and "VACUOUS" in alone.out and "CERTIFIED" not in alone.out


@pytest.mark.parametrize(("expect", "code"), [("vacuous", 0), ("certified", 1)])
def test_vacuous_is_a_verdict_that_may_be_expected_and_is_not_certified(certify: Any, expect: str, code: int) -> None:
    text = f'[[claim]]\nname = "x"\nmodel = "{MARKER}"\ngap = "1"\nlengths = 1\nexpect = "{expect}"\n'
    Path("c.toml").write_text(text, encoding="utf-8")
    assert certify("audit", "c.toml").code == code


def test_softening_a_network_without_hard_heads_is_vacuous(certify: Any) -> None:
    copy = Network("0,1")
    copy.output("Q_1")
    copy.save("copy.json")
    done = certify("soften", "copy.json", "--max-n", "2", "--critical", "none")
    assert done.code == 0 and "CERTIFIED" not in done.out
    assert "VACUOUS  no head of the network is hard, so there is nothing to replace by softmax; 6 words" in done.out
    assert certify("soften", "copy.json", "--max-n", "2", "--critical", "none", "--json").json["verdict"] == "vacuous"
