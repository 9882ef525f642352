// Python in a worker. The checker is check.pyz, unchanged, run with the options -I and -S; Python gets no
// way to the page: no names of it, and the policy of the page binds the worker, which the page makes of a blob.
const GLUE = `
import contextlib, hashlib, io, runpy, sys

def check(name):
    out, status = io.StringIO(), 3
    sys.argv = ["check.pyz", name]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            runpy.run_path("/check.pyz", run_name="__main__")
        except SystemExit as stop:
            status = stop.code
    with open(name, "rb") as file:
        return status, out.getvalue(), hashlib.sha256(file.read()).hexdigest()
`;
let interpreter, check;
const start = async top => {
  const { loadPyodide } = await import(`${top}pyodide/pyodide.mjs`);
  interpreter = await loadPyodide({ indexURL: `${top}pyodide/`, args: ["-I", "-S"], env: { HOME: "/home" }, jsglobals: {}, stdout: () => {}, stderr: () => {} });
  const answer = await fetch(`${top}check.pyz`);
  if (!answer.ok) { throw new Error(`check.pyz: ${answer.status}`); }
  interpreter.FS.writeFile("/check.pyz", new Uint8Array(await answer.arrayBuffer()));
  const names = interpreter.toPy({});
  interpreter.runPython(GLUE, { globals: names });
  check = names.get("check");
  postMessage({ kind: "ready" });
};
const lastLine = error => String(error).split("\n").filter(Boolean).at(-1);
self.onmessage = ({ data }) => {
  if (data.top) {
    start(data.top).catch(error => postMessage({ kind: "broken", message: lastLine(error) }));
    return;
  }
  try {
    interpreter.FS.writeFile("/given.cert", new Uint8Array(data.bytes));
    const [status, text, digest] = check("/given.cert").toJs();
    postMessage({ kind: "done", status, text, digest });
  } catch (error) {
    postMessage({ kind: "broken", message: lastLine(error) });
  }
};
