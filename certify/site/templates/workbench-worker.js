// Python in a worker, with the project's own parser as it is. Python gets no way to the page, and the policy of the page
// binds the worker, which the page makes of a blob.
const GLUE = `
import io, sys, zipfile

def unpack(data):
    zipfile.ZipFile(io.BytesIO(data.to_bytes())).extractall("/workbench")
    sys.path.insert(0, "/workbench")
    from certify.site.answers import answer
    return answer
`;
let interpreter, answer;
const start = async top => {
  const { loadPyodide } = await import(`${top}pyodide/pyodide.mjs`);
  interpreter = await loadPyodide({ indexURL: `${top}pyodide/`, args: ["-I", "-S"], env: { HOME: "/home" }, jsglobals: {}, stdout: () => {}, stderr: () => {} });
  const found = await fetch(`${top}workbench.zip`);
  if (!found.ok) { throw new Error(`workbench.zip: ${found.status}`); }
  const names = interpreter.toPy({});
  interpreter.runPython(GLUE, { globals: names });
  answer = names.get("unpack")(new Uint8Array(await found.arrayBuffer()));
  postMessage({ kind: "ready" });
};
const lastLine = error => String(error).split("\n").filter(Boolean).at(-1);
self.onmessage = ({ data }) => {
  if (data.top) {
    start(data.top).catch(error => postMessage({ kind: "broken", message: lastLine(error) }));
    return;
  }
  try {
    postMessage({ kind: "done", text: answer(data.asked.f, data.asked.a, data.asked.w) });
  } catch (error) {
    postMessage({ kind: "broken", message: lastLine(error) });
  }
};
