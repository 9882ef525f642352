"""All files of the site: pages, certificates, the checker, and the service worker for use without a network."""

import hashlib
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from certify import __version__
from certify.common.shipped import pages
from certify.exports.checker import pack_checker
from certify.exports.pages.base.page import open_templates, read_parts
from certify.exports.pages.certificate.commands import UNNAMED, check_alone_command
from certify.exports.site.gallery import SUFFIX, AuditEntry, Exhibit
from certify.exports.site.guides import guide_html, pictures_of, sections_of
from certify.exports.site.pinned import LICENCE, Z3
from certify.exports.site.pinned import VERSION as PYODIDE
from certify.exports.site.proved import MOST_SECONDS, Proved
from certify.exports.site.proving import LONGEST
from certify.exports.site.search import SearchEntry, write_index
from certify.exports.site.workbench import pack_prover, pack_workbench
from proofs.check import STATUS

POLICY = ("default-src 'none'; script-src 'self'{more}; style-src 'self'; img-src 'self'; connect-src 'self'; "
          "worker-src 'self' blob:; base-uri 'none'; form-action 'self'")
"""A worker from a blob inherits the policy of the page; one from a file would need a header."""
SCRIPTS: Mapping[str, Sequence[str]] = {
    "check.js": ("dom.js", "python-page.js", "judge.js", "check.js"),
    "here.js": ("dom.js", "python-page.js", "judge.js", "here.js"), "worker.js": ("python-worker.js", "worker.js"),
    "proved-worker.js": ("proved-worker.js",),
    "workbench.js": ("dom.js", "python-page.js", "workbench.js"),
    "workbench-worker.js": ("python-worker.js", "workbench-worker.js"),
    "prove.js": ("dom.js", "python-page.js", "judge.js", "prove.js"),
    "prover-worker.js": ("python-worker.js", "prover-worker.js")}
"""The parts of each script of the site."""
EXAMPLES = (
    ("(Q_a | Q_b) since prev Q_a", "abc", "abca", "with attention: the last deciding position"),
    ("#<[Q_1] > #<[Q_0]", "01", "0110100", "counting: more 1s than 0s so far"),
    ("ODD(#<[Q_1])", "01", "11010", "parity"),
    ("G (Q_go -> F Q_stop)", "go,stop,wait", "go,wait,stop", "future operators, and longer symbols"),
    ("Q_1 since", "01", "01", "a mistake"),
)
"""Examples of the workbench: formula, alphabet, word, and topic."""
WITH_PYTHON = " 'wasm-unsafe-eval' blob:"
WAY_BACK = ('<nav aria-label="Site"><a href="../index.html">certify</a> '
            '<a href="../index.html#gallery">Gallery</a></nav>')
CHECKER = "check.pyz"
PROVER = "prover.zip"
DIGESTS = "digests.txt"
FIRST_GUIDES = ("README", "first_certificate", "first_verdict")
Files = dict[str, str | bytes]


def site_files(exhibits: Sequence[Exhibit], pyodide: Mapping[str, bytes] | None, reports: Sequence[AuditEntry] = (),
               proved: Sequence[Proved] = (), wheels: Mapping[str, bytes] | None = None) -> Files:
    """Return the files by their names; without Pyodide the page of the checker explains how to run it elsewhere.

    Verified checkers run after the one in Python, if both exist; with wheels the workbench also proves.
    """
    environment = open_templates("certify.exports.site", "certify.exports.pages.certificate")
    checker = pack_checker()
    files: Files = {CHECKER: checker}
    live = pyodide is not None
    common = {"version": __version__, "policy": Markup(POLICY.format(more="")), "top": "", "live": live}
    assert len({each.name for each in exhibits}) == len(exhibits), "two certificates have the same file"
    files |= {f"gallery/{each.name}{SUFFIX}": each.certificate for each in exhibits}
    here = {each.name: environment.get_template("here.html").render(
        **{**common, "top": "../"}, name=each.name, proved=proved, most_seconds=MOST_SECONDS) for each in exhibits}
    files |= {f"gallery/{each.name}.html": in_the_site(environment, each.page, live, here[each.name])
              for each in exhibits}
    files |= {f"audits/{each.name}.html": in_the_site(environment, each.page, live) for each in reports}
    files |= _guides(environment, common)
    groups = {each.group: [one for one in exhibits if one.group == each.group] for each in exhibits}
    files["index.html"] = environment.get_template("index.html").render(**common, groups=groups, reports=reports)
    files["site.css"] = str(read_parts(environment, ("base.css", "network.css", "site.css", "verdicts.css")))
    files["search.html"] = environment.get_template("search.html").render(**common)
    files["search.js"] = str(read_parts(environment, ("dom.js", "search.js")))
    files["search-index.js"] = write_index(entries_of(exhibits, reports, live))
    files["check.html"] = _check_page(environment, common, checker, proved)
    if pyodide is not None:
        files |= {f"pyodide/{name}": data for name, data in pyodide.items()}
        files |= {each.program.name: each.script for each in proved}
        files |= {name: str(read_parts(environment, parts)) for name, parts in SCRIPTS.items()}
        files["workbench.zip"] = pack_workbench()
        packed = {PROVER: pack_prover(), **{f"wheels/{name}": data for name, data in wheels.items()}} if wheels else {}
        files |= packed
        files["workbench.html"] = _live_page(
            environment, common, "workbench.html", examples=EXAMPLES, packed=" ".join(packed), longest=LONGEST,
            megabytes=sum(map(len, packed.values())) // 10**6, z3=Z3.version, proved=proved, most_seconds=MOST_SECONDS)
    digests = {name: digest_of(content) for name, content in sorted(files.items())}
    if pyodide is not None:
        files["kept.js"] = environment.get_template("kept.js").render(
            names=["./", *digests], version=digest_of("".join(digests.values()))[:16])
    return {**files, DIGESTS: "".join(f"{digest}  {name}\n" for name, digest in digests.items())}


def in_the_site(environment: Any, page: str, live: bool, part: str = "") -> str:
    """Embed a standalone page into the site: add the link back, and before its contents the live part.

    Its own script keeps its hash in the policy.
    """
    (own,) = re.findall("script-src ('sha256-[^']*')", page)
    policy = POLICY.format(more=f" {own}{WITH_PYTHON if live else ''}")
    policy = policy.replace("style-src", "style-src 'unsafe-inline'")
    style = str(read_parts(environment, ("verdicts.css",)))  # Markup would escape what is added to it
    contents = '<nav aria-label="Contents">'
    for pattern, text in (('(?<=Policy" content=")[^"]*', policy), (r"(?=</style>\n</head>)", style),
                          (r"(?<=<body>\n<header>\n)", f"{WAY_BACK}\n"), (f"(?={contents})", part)):
        start, *others = (found.span() for found in re.finditer(pattern, page))
        assert not others, pattern
        page = page[:start[0]] + text + page[start[1]:]
    return page


def entries_of(exhibits: Sequence[Exhibit], reports: Sequence[AuditEntry], live: bool) -> list[SearchEntry]:
    """Return the search entries: certificates, audits with the names of their claims, every section of every guide."""
    found = [SearchEntry("Check a certificate", "in this browser" if live else "", "check.html",
                         "checker verdict digest")]
    found += [SearchEntry("Workbench", "type a formula", "workbench.html", "parser word letters truth")] * live
    found += [SearchEntry(each.name, f"{each.group}: {each.proves}",
                          f"gallery/{each.name}.html",
                          f"{each.about} {each.proves} certificate") for each in exhibits]
    found += [SearchEntry(each.title, f"audit: {each.verdicts}", f"audits/{each.name}.html", " ".join(each.claims))
              for each in reports]
    for name, path in pages().items():
        sections = sections_of(path.read_text(encoding="utf-8"))
        title = sections[0][0] if sections else name
        found += [SearchEntry(heading, f"guide: {title}" if place else "guide", f"guides/{name}.html#{anchor}", text)
                  for place, (heading, anchor, text) in enumerate(sections)]
    return found


def digest_of(content: str | bytes) -> str:
    """Return the SHA-256, as sha256sum writes it."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def _live_page(environment: Any, common: Mapping[str, Any], name: str, **more: Any) -> str:
    """Return a page that runs Python, if the site has it."""
    policy = Markup(POLICY.format(more=WITH_PYTHON if common["live"] else ""))
    return str(environment.get_template(name).render(**{**common, "policy": policy, **more}))


def _check_page(environment: Any, common: Mapping[str, Any], checker: bytes, proved: Sequence[Proved]) -> str:
    return _live_page(
        environment, common, "check.html", proved=proved, most_seconds=MOST_SECONDS,
        by_hand=check_alone_command(UNNAMED), digest=digest_of(checker),
        pyodide=PYODIDE, licence=LICENCE, statuses=", ".join(f"{word} {status}" for word, status in STATUS.items()))


def _guides(environment: Any, common: Mapping[str, Any]) -> Files:
    found, pictures = pages(), pictures_of(pages())
    places = {name: f"{name}.md" if name.isupper() else f"docs/{path.parent.name}/{name}.md"
              for name, path in found.items()}
    links = {place: f"{name}.html" for name, place in places.items()}
    links |= {f"docs/{place}": posixpath.basename(place) for place in pictures}
    template = environment.get_template("guide.html")
    files: Files = {f"guides/{path.name}": path.read_text(encoding="utf-8") for path in pictures.values()}
    titles = {}
    for name, path in found.items():
        text = path.read_text(encoding="utf-8")
        titles[name] = text.partition("\n")[0].lstrip("# ")
        body = Markup(guide_html(text, places[name], links))
        files[f"guides/{name}.html"] = template.render(**{**common, "top": "../"}, title=titles[name], body=body)
    first = [name for name in FIRST_GUIDES if name in titles]
    order = [*first, *(name for name in titles if name not in first)]
    files["guides/index.html"] = environment.get_template("guides.html").render(
        **{**common, "top": "../"}, guides=[(name, titles[name]) for name in order])
    return files
