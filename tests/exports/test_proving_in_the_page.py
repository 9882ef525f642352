"""`certify export --to site --wheels`: what is packed proves as `certify formula` does; the page writes the bytes.

The latter is tried where CERTIFY_PYODIDE and CERTIFY_WHEELS name what `npm pack` and `pip download` write.
"""

import hashlib
import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import flint
import pytest
from playwright.sync_api import Browser, Page, expect

from certify.cli import command_line
from certify.exports.site.build import site_files
from certify.exports.site.pinned import DOWNLOAD, KNOWN, read_pyodide, read_wheels
from certify.exports.site.proving import prove
from certify.exports.site.workbench import pack_prover, prover_files
from constructions.errors import InputError
from tests.browser import CONTRASTS, NARROW, browser, faults
from tests.cli.conftest import Certify, certify
from tests.exports.test_proved_checkers_of_the_site import PYTHON
from tests.exports.test_site import PYODIDE, serve, visit, wait_until_ready

__all__ = ["browser", "certify"]
WHEELS = os.environ.get("CERTIFY_WHEELS", "")
FAKE = {each.file: b"" for each in KNOWN}
ASKED = (
    ("(Q_a | Q_b) since prev Q_a", "abc", "temperature", False, 4), ("#<[Q_1] > #<[Q_0]", "01", "position", False, 4),
    ("ODD(#<[Q_1])", "01", "temperature", False, 4), ("G (Q_go -> F Q_stop)", "go,stop,wait", "position", False, 3),
    ("Q_a since Q_b", "", "temperature", True, 4), ("-#<[Q_1] + #<[Q_0] >= 1", "01", "temperature", True, 4),
    ("prev Q['$(touch x)']", "", "position", True, 3))
"""Formula, alphabet, regime, whether it is causal, and the greatest length."""


def proved(*asked: Any) -> Any:
    return json.loads(prove(*asked))


def test_what_is_packed_proves_as_the_library_does_with_two_libraries_from_elsewhere(tmp_path: Path) -> None:
    zipfile.ZipFile(io.BytesIO(pack_prover())).extractall(tmp_path)
    elsewhere = str(Path(flint.__file__).parents[1])
    program = f"""import json, sys
sys.path[:] = [{str(tmp_path)!r}, *sys.path, {elsewhere!r}]
from certify.exports.site.proving import prove
print(json.dumps([json.loads(prove(*asked)) for asked in {ASKED[:2]!r}]))
places = {{name.partition(".")[0]: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}}
print(json.dumps([name for name, place in places.items() if place.startswith({elsewhere!r})]))
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    printed, used = map(json.loads, done.stdout.splitlines())
    assert {"flint", "z3"} == {name for name in used if not name.startswith("_cython")}
    for found, asked in zip(printed, ASKED[:2], strict=True):
        native = proved(*asked)
        assert found["certificate"] == native["certificate"] != "" and found["rows"] == native["rows"]


@pytest.mark.parametrize("asked", ASKED, ids=[asked[0] for asked in ASKED])
def test_the_certificate_is_the_file_that_the_command_beside_it_writes(asked: Any, certify: Certify) -> None:
    found = proved(*asked)
    _, command, *words = shlex.split(found["command"])
    assert certify(command, *words).code == 0
    assert Path("proved.cert").read_text(encoding="utf-8") == found["certificate"] and found["verdict"] == "certified"


@pytest.mark.parametrize(("asked", "key", "printed"), [
    (("Q_a & (Q_b since", "", "temperature", False, 4), "caret", "Q_a & (Q_b since\n                ^"),
    (("Q_a", "aa", "temperature", False, 4), "error", "alphabet 'aa': 'a' occurs twice, expected distinct symbols"),
    (("Q_a", "a", "temperature", False, 65), "error", "words up to length: 65, expected 1 to 64 here"),
    (("Q_a until Q_b", "ab", "temperature", True, 4), "verdict", "unsupported"),
])
def test_what_is_wrong_is_said_and_what_is_not_certified_has_no_certificate(
        asked: Any, key: str, printed: str) -> None:
    found = proved(*asked)
    assert found[key] == printed and not found.get("certificate")


def test_the_licences_of_what_is_packed_are_packed_and_no_tests_or_pages() -> None:
    files = prover_files()
    assert {"lark/LICENSE", "markupsafe/LICENSE", "mpmath/LICENSE"} <= set(files)
    assert not [name for name in files if "/tests/" in name or name == "flint.py"]
    assert pack_prover() == pack_prover()


def test_other_wheels_and_a_folder_without_them_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as missing:
        read_wheels(str(tmp_path))
    assert str(missing.value) == (f"--wheels: {tmp_path} has no {KNOWN[0].file}, expected the folder that this fills: "
                                  f"{DOWNLOAD}")
    (tmp_path / KNOWN[0].file).write_bytes(b"not the one")
    with pytest.raises(InputError, match=f"expected {KNOWN[0].sha_256}: the file that pip download python-flint==0.9"):
        read_wheels(str(tmp_path))
    with pytest.raises(InputError, match="--wheels: expected --pyodide, too"):
        command_line()(["export", "--to", "site", "-o", str(tmp_path / "out"), "--wheels", str(tmp_path)],
                       standalone_mode=False)


@pytest.fixture(scope="module")
def files() -> dict[str, str | bytes]:
    """A site whose Python is one that only the checker can use."""
    return site_files([], {"pyodide.mjs": PYTHON.encode()}, wheels=FAKE)


def test_a_site_with_wheels_keeps_them_and_names_them_to_the_page(files: dict[str, str | bytes]) -> None:
    assert 'data-packed="prover.zip wheels/python_flint-0.9.0-' in str(files["workbench.html"])
    assert all(f'"wheels/{name}"' in str(files["kept.js"]) for name in FAKE)


# -- in a browser ------------------------------------------------------------------------------------------------------


def test_the_form_can_be_used_by_all_and_a_prover_that_does_not_start_says_so(
        browser: Browser, files: dict[str, str | bytes], tmp_path: Path) -> None:
    server = serve(files, tmp_path)
    page, _ = visit(browser, f"http://127.0.0.1:{server.server_address[1]}/", "workbench.html", NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    assert min(page.evaluate(CONTRASTS)) >= 4.5 and faults(page) == []
    page.get_by_label("Words up to length").fill("65")
    page.get_by_role("button", name="Prove it here").click()
    assert page.locator("#proving").inner_text() == ""  # the browser says what is wrong with 65
    page.get_by_label("Words up to length").fill("4")
    page.get_by_role("button", name="Prove it here").click()
    expect(page.locator("#proving")).to_contain_text("The prover ended: TypeError")
    expect(page.get_by_role("button", name="Prove it here")).to_be_enabled()
    server.shutdown()


def proved_in(page: Page, asked: Any) -> bytes:
    """Return the certificate that the page offers for this request."""
    formula, alphabet, regime, causal, most = asked
    for name, value in (("formula", formula), ("alphabet", alphabet), ("word", ""), ("most", str(most))):
        page.fill(f"#{name}", value)
    page.select_option("#regime", regime)
    page.set_checked("#causal", causal)
    page.click("#prove")
    page.locator("#proving", has_text="Decided in this page").wait_for()
    with page.expect_download() as download:
        page.locator("#outcome a").click()
    return Path(download.value.path()).read_bytes()


@pytest.mark.skipif(not (PYODIDE and WHEELS), reason="CERTIFY_PYODIDE or CERTIFY_WHEELS names nothing")
def test_the_page_proves_what_the_command_proves_byte_for_byte_and_checks_it_without_a_network(
        browser: Browser, tmp_path: Path) -> None:
    server = serve(site_files([], read_pyodide(PYODIDE), wheels=read_wheels(WHEELS)), tmp_path)
    page, wrong = visit(browser, f"http://127.0.0.1:{server.server_address[1]}/", "workbench.html", NARROW)
    page.set_default_timeout(0)
    page.locator("#reading", has_text="Ready.").wait_for()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.shutdown()  # from here on nobody answers
    page.click("#prove")
    page.click("#stop")
    expect(page.locator("#proving")).to_have_text("Cancelled: the result is unknown.")
    for number, asked in enumerate(ASKED):
        certificate = proved_in(page, asked)
        assert certificate.decode() == proved(*asked)["certificate"], asked
        expect(page.locator("#outcome .asked-of")).to_have_text(proved(*asked)["formula"])
        page.locator("#found article").nth(number).wait_for()
        wait_until_ready(page)
        shown = page.locator("#found article").first
        assert shown.get_attribute("data-verdict") == "accepted"
        expect(shown).to_contain_text(hashlib.sha256(certificate).hexdigest())
    page.fill("#formula", "Q_a & (Q_b since")
    page.click("#prove")
    expect(page.locator("#outcome")).to_contain_text("found the end of the text")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    assert min(page.evaluate(CONTRASTS)) >= 4.5
    assert [each for each in wrong if "favicon" not in each and "404" not in each] == []
