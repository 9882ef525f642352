"""Run the shipped notebooks and store what their cells show: `python docs/tools/write_notebooks.py`, in a checkout."""

import contextlib
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run_cell(source: str, names: dict[str, Any]) -> tuple[Any, str]:
    """Return the value of the last line of a cell, None if it has none, and what the cell prints."""
    *lines, last = source.split("\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(lines), names)
        try:
            value = eval(last, names)
        except SyntaxError:
            exec(last, names)
            value = None
    return value, printed.getvalue()


def outputs_of(value: object, printed: str, count: int) -> list[dict[str, Any]]:
    """Return the outputs of a cell, in the format of notebooks (nbformat 4.5)."""
    found: list[dict[str, Any]] = []
    if printed:
        found.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if value is not None:
        text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
        data = {"text/plain": text.splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": value._repr_html_().splitlines(keepends=True), **data}
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def run_notebook(path: Path) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """Return the notebook with the outputs of its cells, the names at its end, and the values of its cells."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    values: list[Any] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            value, printed = run_cell("".join(cell["source"]), names)
            values.append(value)
            cell["execution_count"] = len(values)
            cell["outputs"] = outputs_of(value, printed, len(values))
    return notebook, names, values


def main() -> None:
    """Write every notebook anew."""
    for path in sorted(EXAMPLES.rglob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            notebook = run_notebook(path)[0]
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
