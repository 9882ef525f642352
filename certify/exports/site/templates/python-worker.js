// Python in a worker, for a given script. Python cannot access the page: it gets no names of it, and the
// policy of the page binds the worker, which the page makes of a blob.
const startPython = async (top, glue, packed) => {
  const bytes = await Promise.all(packed.map(async name => {
    const found = await fetch(`${top}${name}`);
    if (!found.ok) { throw new Error(`${name}: ${found.status}`); }
    return new Uint8Array(await found.arrayBuffer());
  }));
  const { loadPyodide } = await import(`${top}pyodide/pyodide.mjs`);
  const interpreter = await loadPyodide({ indexURL: `${top}pyodide/`, args: ["-I", "-S"], env: { HOME: "/home" }, jsglobals: {}, stdout: () => {}, stderr: () => {} });
  const names = interpreter.toPy({});
  interpreter.runPython(glue, { globals: names });
  return { interpreter, names, bytes };
};
const broken = error => postMessage({ kind: "broken", message: String(error).split("\n").filter(Boolean).at(-1) });
const serve = (start, answer) => {
  self.onmessage = ({ data }) => {
    if (data.top) {
      start(data).then(() => postMessage({ kind: "ready" })).catch(broken);
      return;
    }
    try {
      postMessage({ kind: "done", ...answer(data) });
    } catch (error) {
      broken(error);
    }
  };
};
