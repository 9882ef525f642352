// The checker is check.pyz, unchanged, run with the options -I and -S.
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
serve(async ({ top }) => {
  const started = await startPython(top, GLUE, ["check.pyz"]);
  interpreter = started.interpreter;
  interpreter.FS.writeFile("/check.pyz", started.bytes[0]);
  check = started.names.get("check");
}, ({ bytes }) => {
  interpreter.FS.writeFile("/given.cert", new Uint8Array(bytes));
  const [status, text, digest] = check("/given.cert").toJs();
  return { status, text, digest };
});
