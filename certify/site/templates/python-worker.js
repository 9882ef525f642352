// Python in a worker, for a script that says what it is for. Python gets no way to the page: no names of it, and the
// policy of the page binds the worker, which the page makes of a blob.
const startPython = async (top, glue, packed) => {
  const { loadPyodide } = await import(`${top}pyodide/pyodide.mjs`);
  const interpreter = await loadPyodide({ indexURL: `${top}pyodide/`, args: ["-I", "-S"], env: { HOME: "/home" }, jsglobals: {}, stdout: () => {}, stderr: () => {} });
  const found = await fetch(`${top}${packed}`);
  if (!found.ok) { throw new Error(`${packed}: ${found.status}`); }
  const names = interpreter.toPy({});
  interpreter.runPython(glue, { globals: names });
  return { interpreter, names, bytes: new Uint8Array(await found.arrayBuffer()) };
};
const broken = error => postMessage({ kind: "broken", message: String(error).split("\n").filter(Boolean).at(-1) });
const serve = (start, answer) => {
  self.onmessage = ({ data }) => {
    if (data.top) {
      start(data.top).then(() => postMessage({ kind: "ready" })).catch(broken);
      return;
    }
    try {
      postMessage({ kind: "done", ...answer(data) });
    } catch (error) {
      broken(error);
    }
  };
};
