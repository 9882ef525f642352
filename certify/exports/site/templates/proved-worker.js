// A checker verified in Coq, compiled by js_of_ocaml: it checks one file, and the page ends this worker.
const PIECE = 1 << 13;
onmessage = async ({ data: { program, name, bytes } }) => {
  try {
    await import(program);
    const given = new Uint8Array(bytes), pieces = [];
    for (let k = 0; k < given.length; k += PIECE) { pieces.push(String.fromCharCode(...given.subarray(k, k + PIECE))); }
    const [status, lines] = judge(name, pieces.join(""));  // each byte a character: no text decoder does this
    postMessage({ status, lines });
  } catch (error) {
    postMessage({ message: String(error).split("\n")[0] });
  }
};
