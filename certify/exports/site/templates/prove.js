// Proves the formula of the workbench in a separate worker; the checkers of the page then check the certificate.
const wish = find("#to-be-proved"), start = find("#prove"), stop = find("#stop"), outcome = find("#outcome");
let prover = null, since = 0, doing = "";
const telling = () => { if (since) { find("#proving").textContent = `${doing} ${Math.round((performance.now() - since) / 1000)} s`; } };
const ended = text => {
  since = 0;
  [start.disabled, stop.hidden] = [false, true];
  find("#proving").textContent = text;
};
const forget = text => { prover?.terminate(); prover = null; ended(text); };
const told = (kind, text) => text ? [make("p", { class: kind }, text)] : [];
const tableOf = (columns, rows) => {
  const region = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Bounds of the errors of the heads" }), table = make("table");
  const line = (tag, cells) => { const row = make("tr"); row.append(...cells.map(text => make(tag, tag === "th" ? { scope: "col" } : {}, text))); return row; };
  table.append(make("thead"), make("tbody"));
  table.tHead.append(line("th", columns));
  table.tBodies[0].append(...rows.map(cells => line("td", cells)));
  region.append(table);
  return region;
};
const showOutcome = ({ error, caret, verdict, formula, says, claim, note, greatest, columns, rows, certificate, command }) => {
  if (error) { outcome.replaceChildren(...told("mistake", error), ...(caret ? [make("pre", { class: "mistake", "aria-hidden": "true" }, caret)] : [])); return; }
  const head = make("p"), kind = { certified: "certified", refuted: "refuted" }[verdict] ?? "unknown";
  head.append(make("span", { class: `verdict ${kind}` }, verdict), ` ${says}`);
  outcome.replaceChildren(...told("asked-of", formula), head, ...told("soft", claim), ...told("soft", note), ...(rows.length ? [tableOf(columns, rows)] : []), ...told("soft", greatest));
  if (!certificate) { return; }
  const file = new File([certificate], "proved.cert", { type: "application/json" }), links = make("p"), box = make("div", { class: "command" });
  links.append(make("a", { href: URL.createObjectURL(file), download: file.name }, file.name), `, ${file.size} bytes, byte for byte what this command writes:`);
  box.append(make("code", {}, command));
  outcome.append(links, box);
  add([file]);
  if (!worker) { startWorker("worker.js", handlers); }
};
const ask = () => {
  doing = "Proving …";
  const value = name => wish.elements[name].value;
  prover.postMessage({ f: find("#formula").value, a: find("#alphabet").value, regime: value("regime"), causal: wish.elements.causal.checked, most: Number(value("most")) });
};
const answered = {
  progress: ({ text }) => { doing = text.endsWith("…") ? text : `Proving (${text}) …`; telling(); },
  ready: ask,
  done: ({ text }) => { ended(`Decided in this page in ${((performance.now() - since) / 1000).toFixed(1)} s.`); showOutcome(JSON.parse(text)); },
  broken: ({ message }) => forget(`The prover ended: ${message}`),
};
wish.addEventListener("submit", async event => {
  event.preventDefault();
  if (since) { return; }
  const mine = performance.now();
  [since, doing] = [mine, "Loading Python and the provers …"];
  [start.disabled, stop.hidden] = [true, false];
  outcome.replaceChildren();
  telling();
  if (prover) { ask(); return; }
  try {
    const made = await makeWorker("prover-worker.js");
    if (since !== mine) { made.terminate(); return; }  // it was cancelled
    prover = made;
    prover.onmessage = ({ data }) => answered[data.kind](data);
    prover.onerror = error => answered.broken({ message: error.message || "the worker did not start" });
    prover.postMessage({ top: TOP, packed: wish.dataset.packed.split(" ") });
  } catch (error) { forget(`The prover could not be loaded: ${error}`); }
});
stop.addEventListener("click", () => forget("Cancelled: the result is unknown."));
start.hidden = false;
say("");
setInterval(telling, 1000);
