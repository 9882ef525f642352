const VERDICTS = { 0: "accepted", 1: "rejected", 3: "incomplete" }, LABEL = 13;
const waiting = [], PROVED = all("[data-proved]").map(each => ({ ...each.dataset }));
let current = null, began = 0, stopProving = null;
const verdictOf = (status, text) => VERDICTS[status] ?? (text.startsWith("unreadable") ? "unreadable" : status === 2 ? "malformed" : "incomplete");
const classOf = verdict => `verdict ${["accepted", "proved"].includes(verdict) ? "certified" : verdict === "rejected" ? "refuted" : "unknown"}`;
const headed = (heading, verdict, text) => { heading.append(make("span", { class: classOf(verdict) }, verdict), ` ${text}`); return heading; };
const listed = (lines, isAccepted) => {
  const list = make("dl");
  let last = null;
  for (const line of lines) {  // the first columns of a line are its label; a line without one goes on
    const label = line.slice(0, LABEL).trim(), rest = line.slice(LABEL), isEnd = line.startsWith("accepted: ");
    if (!isAccepted || isEnd || (line[LABEL - 1] ?? " ") !== " ") {
      list.append(make("dt"), make("dd", isAccepted && !isEnd ? { class: "sentence" } : {}, line));
    }
    else if (!label && last) { last.textContent += `\n${rest}`; }
    else { last = make("dd", {}, rest); list.append(make("dt", {}, label), last); }
  }
  return list;
};
const show = (verdict, name, lines, facts) => {
  const article = make("article", { class: "verdict-of", "data-verdict": verdict });
  article.append(headed(make("h2"), verdict, name), listed(lines, verdict === "accepted"), ...facts.map(fact => make("p", { class: "soft" }, fact)));
  find("#found").prepend(article);
  return article;
};
const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
const handlers = {
  ready: () => { ready = true; next(); },
  done: ({ status, text, digest }) => {
    const name = current.file.name, lines = text.trimEnd().split("\n").map(line => line.replace("/given.cert", () => name));
    proveAll(show(verdictOf(status, text), name, lines, [`SHA-256 of the file: ${digest}`, `Checked in ${seconds()} s, by the checker in your browser.`]));
  },
  broken: ({ message }) => {
    worker.terminate();
    if (!ready) { say(`Python could not be loaded: ${message}`); return; }
    if (current) { proveAll(show("incomplete", current.file.name, [`incomplete: Python ended: ${message}`], [])); }
    startWorker("worker.js", handlers);
  },
};
// After Python the checkers verified in Coq, one after another, each in a separate worker.
const proveAll = async article => {
  const yes = article.dataset.verdict === "accepted" ? ["accepted by the checker in Python"] : [];
  for (const proved of PROVED) {
    const part = await prove(proved), { checker, verdict } = part.dataset;
    article.append(part);
    if (verdict === proved.word) { yes.push(`${verdict} by ${checker}, which is verified in Coq`); }
  }
  if (yes.length) { find("h2", article).after(make("p", { class: "says" }, `The file is ${yes.join("; ")}.`)); }
  current = null;
  next();
};
const prove = async ({ proved, name, word, rests, seconds: most }) => {
  const { file, bytes } = current;
  let proving = null, limit = 0;
  current.by = `${name}, which is verified in Coq (at most ${most} s)`;
  began = performance.now();
  tick();
  const { status, lines, message } = await new Promise(resolve => {
    stopProving = message => resolve({ message });
    limit = setTimeout(() => resolve({ message: `it takes more than ${most} seconds; the program outside a browser is faster` }), most * 1000);
    makeWorker("proved-worker.js").then(started => {
      proving = started;
      proving.onmessage = ({ data }) => resolve(data);
      proving.onerror = event => resolve({ message: event.message || "the worker ended" });
      proving.postMessage({ program: `${TOP}${proved}`, name: file.name, bytes });
    }).catch(error => resolve({ message: String(error) }));
  });
  stopProving = null;
  clearTimeout(limit);
  proving?.terminate();
  const isYes = status === 0, said = lines ?? [`incomplete: ${file.name}: ${message}`];
  const verdict = isYes ? word : said.at(-1).match(/^\w+/)[0], part = make("section", { "data-checker": name, "data-verdict": verdict });
  part.append(headed(make("h3"), verdict, `by ${name}`), listed(said, verdict === "accepted"));
  for (const fact of [...(isYes ? [rests] : []), `Judged in ${seconds()} s.`]) { part.append(make("p", { class: "soft" }, fact)); }
  return part;
};
const next = async () => {
  find("#cancel").hidden = !current;
  if (!ready || current) { return; }
  if (!waiting.length) { say("Ready."); return; }
  const file = waiting.shift(), mine = { file, by: "the checker in Python" };
  [current, began] = [mine, performance.now()];
  find("#cancel").hidden = false;
  mine.bytes = await file.arrayBuffer().catch(() => null);
  if (current !== mine) { return; }  // it was cancelled
  if (!mine.bytes) {
    current = null;
    show("unreadable", file.name, [`unreadable: ${file.name}: the browser cannot read it`], []);
    next();
    return;
  }
  tick();
  worker.postMessage({ bytes: mine.bytes });
};
const tick = () => { if (current && (ready || stopProving)) { say(`Checking ${current.file.name} by ${current.by}: ${Math.round((performance.now() - began) / 1000)} s`); } };
setInterval(tick, 1000);
const add = files => { waiting.push(...files); next(); };
const addNamed = async (name, address) => {
  const answer = await fetch(address);
  if (answer.ok) { add([new File([await answer.arrayBuffer()], name)]); } else { say(`${name}: ${answer.status}`); }
};
find("#cancel").addEventListener("click", () => {
  if (stopProving) { stopProving("it was cancelled: the result is unknown"); return; }
  worker.terminate();
  show("incomplete", current?.file.name ?? "", ["The check was cancelled: the result is unknown."], []);
  current = null;
  startWorker("worker.js", handlers);
});
