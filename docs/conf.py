"""Sphinx: the book in docs/ and an API reference from docstrings. `make docs` builds build/docs, without a network.

The API reference has the public Python of certify, the trusted checker and the enclosures in full, and of every other
package its docstring. Nothing is imported: sphinx-autoapi reads the source.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "tools"))

project, author, copyright = "certify", "The authors of certify", "The authors of certify"
release = version = re.findall('__version__ = "(.*)"', (ROOT / "certify" / "__init__.py").read_text("utf-8"))[0]
extensions = ["myst_parser", "sphinx.ext.napoleon", "autoapi.extension", "docstrings"]
html_theme, html_title = "furo", "certify"
html_show_sourcelink = html_copy_source = False
exclude_patterns = ["_build", "tools"]
myst_heading_anchors = 4
default_role = "code"
napoleon_use_ivar = True  # else attributes of a docstring and fields of a class are described twice

WHOLE = ("certify/api.py", "certify/trained_api.py", "certify/network.py", "certify/auditing/api.py", "proofs/check",
         "proofs/enclosures")
"""Modules and folders that the API reference has in full."""
PACKAGES = ("certify", "constructions", "proofs")
autoapi_dirs = [str(ROOT / package) for package in PACKAGES]
autoapi_ignore = [str(path) for package in PACKAGES for path in (ROOT / package).rglob("*.py")
                  if path.name != "__init__.py" and not any(path.is_relative_to(ROOT / one) for one in WHOLE)]
autoapi_root, autoapi_add_toctree_entry, autoapi_keep_files = "api", False, False
autoapi_options = ["members", "undoc-members", "show-module-summary"]
autoapi_member_order = "bysource"

suppress_warnings = [
    "myst.xref_missing",  # pages link to files beside docs/; tests/test_docs.py follows all links
    "ref.python",  # a word of a type that several classes have as a field
    "autoapi.python_import_resolution",  # packages re-export names of modules of which only the package is read
]
