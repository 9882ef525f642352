// The project's own prover, unchanged, with python-flint and Z3: it runs the command on the page.
const GLUE = `
import io, sys, zipfile

def unpack(packed):
    for data in packed:
        zipfile.ZipFile(io.BytesIO(data.to_bytes())).extractall("/prover")
    sys.path.insert(0, "/prover")
    from certify.exports.site.proving import prove
    return prove
`;
const tell = text => postMessage({ kind: "progress", text });
let prove;
serve(async ({ top, packed }) => {
  const { interpreter, names, bytes } = await startPython(top, GLUE, packed);
  tell("Starting the provers …");
  prove = names.get("unpack")(interpreter.toPy(bytes, { depth: 1 }));
}, ({ f, a, regime, causal, most }) => ({ text: prove(f, a, regime, causal, most, tell) }));
