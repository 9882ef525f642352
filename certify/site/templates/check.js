const VERDICTS = { 0: "accepted", 1: "rejected", 3: "incomplete" }, LABEL = 13;
const waiting = [];
let current = null, began = 0;
const verdictOf = (status, text) => VERDICTS[status] ?? (text.startsWith("unreadable") ? "unreadable" : status === 2 ? "malformed" : "incomplete");
const show = (verdict, name, lines, facts) => {
  const article = make("article", { class: "verdict-of", "data-verdict": verdict }), heading = make("h2"), list = make("dl");
  heading.append(make("span", { class: `verdict ${verdict === "accepted" ? "certified" : verdict === "rejected" ? "refuted" : "unknown"}` }, verdict), ` ${name}`);
  let last = null;
  for (const line of lines) {  // the first columns of a line are its label; a line without one goes on
    const label = line.slice(0, LABEL).trim(), rest = line.slice(LABEL);
    if (verdict !== "accepted" || line.startsWith("accepted: ")) { list.append(make("dt"), make("dd", {}, line)); }
    else if (!label && last) { last.textContent += `\n${rest}`; }
    else { last = make("dd", {}, rest); list.append(make("dt", {}, label), last); }
  }
  article.append(heading, list, ...facts.map(fact => make("p", { class: "soft" }, fact)));
  find("#found").prepend(article);
};
const heard = {
  ready: () => { ready = true; next(); },
  done: ({ status, text, digest }) => {
    const name = current.name, seconds = ((performance.now() - began) / 1000).toFixed(1);
    const lines = text.trimEnd().split("\n").map(line => line.replace("/given.cert", () => name));
    current = null;
    show(verdictOf(status, text), name, lines, [`SHA-256 of the file: ${digest}`, `Checked in ${seconds} s, by the checker in your browser.`]);
    next();
  },
  broken: ({ message }) => {
    worker.terminate();
    if (!ready) { say(`Python could not be loaded: ${message}`); return; }
    show("incomplete", current?.name ?? "", [`incomplete: Python ended: ${message}`], []);
    begin();
  },
};
const begin = () => {
  current = null;
  startWorker("worker.js", heard);
};
const next = async () => {
  find("#cancel").hidden = true;
  if (!ready || current) { return; }
  if (!waiting.length) { say("Ready."); return; }
  const file = waiting.shift();
  [current, began] = [file, performance.now()];
  find("#cancel").hidden = false;
  const bytes = await file.arrayBuffer().catch(() => null);
  if (current !== file) { return; }  // it was cancelled
  if (!bytes) {
    current = null;
    show("unreadable", file.name, [`unreadable: ${file.name}: the browser cannot read it`], []);
    next();
    return;
  }
  tick();
  worker.postMessage({ bytes }, [bytes]);
};
const tick = () => { if (ready && current) { say(`Checking ${current.name}: ${Math.round((performance.now() - began) / 1000)} s`); } };
setInterval(tick, 1000);
const add = files => { waiting.push(...files); next(); };
const addNamed = async () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!/^gallery\/[\w.-]+\.cert$/.test(name)) { return; }
  const answer = await fetch(name);
  if (answer.ok) { add([new File([await answer.arrayBuffer()], name.split("/")[1])]); } else { say(`${name}: ${answer.status}`); }
};
find("#cancel").addEventListener("click", () => {
  worker.terminate();
  show("incomplete", current?.name ?? "", ["The check was cancelled: nothing is known of this file."], []);
  begin();
});
find("#file").addEventListener("change", event => { add(event.target.files); });
const drop = find("#drop");
for (const name of ["dragenter", "dragover"]) { drop.addEventListener(name, event => { event.preventDefault(); drop.classList.add("over"); }); }
for (const name of ["dragleave", "drop"]) { drop.addEventListener(name, event => { event.preventDefault(); drop.classList.remove("over"); }); }
drop.addEventListener("drop", event => add(event.dataTransfer.files));
addEventListener("hashchange", addNamed);
begin();
addNamed();
