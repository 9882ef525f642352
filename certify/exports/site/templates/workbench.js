const FIELDS = { f: "#formula", a: "#alphabet", w: "#word" }, PATIENCE = 4000, PAUSE = 120;
place = "#reading";
let busy = 0, wanted = null, timer = 0, letters = [];
const asked = () => Object.fromEntries(Object.entries(FIELDS).map(([key, query]) => [key, find(query).value]));
const complain = (query, text) => { const place = find(query); place.textContent = text; place.hidden = !text; };
const separated = () => letters.some(letter => [...letter].length > 1);
const showLetters = alphabet => {
  letters = alphabet;
  const buttons = alphabet.slice(0, 40).map(letter => {
    const button = make("button", { type: "button" }, letter);
    button.addEventListener("click", () => add(letter));
    return button;
  });
  const remove = make("button", { type: "button", "aria-label": "Remove the last letter" }, "⌫");
  remove.addEventListener("click", () => change(word => word.slice(0, -1)));
  find("#letters").replaceChildren(...buttons, remove);
};
const parts = text => separated() ? text.split(",").map(part => part.trim()).filter(Boolean) : [...text.replaceAll(" ", "")];
const change = how => {
  find("#word").value = how(parts(find("#word").value)).join(separated() ? "," : "");
  ask();
};
const add = letter => change(word => [...word, letter]);
const showTruths = (word, rows) => {
  const table = make("table", { class: "truth" }), head = make("tr");
  head.append(make("th", { scope: "col" }, "formula"), ...word.map((letter, place) => make("th", { scope: "col" }, `${letter} ${place + 1}`)));
  const body = rows.map(([text, values]) => {
    const row = make("tr");
    row.append(make("th", { scope: "row" }, text), ...values.map(holds => make("td", { class: holds ? "holds" : "fails" }, holds ? "true" : "·")));
    return row;
  });
  table.append(make("thead"), make("tbody"));
  table.tHead.append(head);
  table.tBodies[0].append(...body);
  find("#truths").replaceChildren(...(word.length ? [table] : [make("p", { class: "soft" }, "Words are not empty: click letters, or type.")]));
};
const pictureOf = text => {  // its text has the size of the page; its content is also described below
  const svg = new DOMParser().parseFromString(text.replace(/ style="[^"]*"/, ""), "text/html").querySelector("svg");
  svg.setAttribute("role", "img");
  for (const block of all("[tabindex]", svg)) { for (const name of ["tabindex", "role", "aria-label"]) { block.removeAttribute(name); } }
  svg.style.maxWidth = `${1.1 * svg.viewBox.baseVal.width}px`;
  const region = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": svg.getAttribute("aria-label") });
  region.append(svg);
  return region;
};
const showLayers = ({ layers, pictures = [], definitions = [], no_layers: why = "" }) => {
  complain("#no-layers", why);
  find("#pictures").replaceChildren(...pictures.map(pictureOf));
  find("#definitions").replaceChildren(...definitions.map(text => make("p", { class: "soft" }, text)));
  find("#layers").replaceChildren(...layers.map(said => {
    const item = make("li");
    item.append(...said.map(sentence => make("p", {}, sentence)));
    return item;
  }));
};
const show = found => {
  complain("#complaint", found.error ?? "");
  complain("#mistake", found.caret ?? "");
  complain("#word-mistake", found.word_error ?? "");
  find("#formula").setAttribute("aria-invalid", String(Boolean(found.error)));
  find("#read").hidden = Boolean(found.error);
  if (found.error) { return; }
  if (found.alphabet.join("\n") !== letters.join("\n")) { showLetters(found.alphabet); }
  find("#sentences").replaceChildren(...found.sentences.flatMap(([text, meaning]) => [make("dt", {}, text), make("dd", {}, meaning)]));
  showTruths(found.word, found.rows);
  showLayers(found);
  find("#command").textContent = found.command;
};
const handlers = {
  ready: () => { ready = true; next(); },
  done: ({ text }) => { busy = 0; show(JSON.parse(text)); next(); },
  broken: ({ message }) => {
    worker.terminate();
    if (!ready) { say(`Python could not be loaded: ${message}`); return; }
    show({ error: `Python ended: ${message}` });
    begin();
  },
};
const begin = () => {
  busy = 0;
  startWorker("workbench-worker.js", handlers);
};
const next = () => {
  if (!ready) { return; }
  if (busy && wanted && performance.now() - busy > PATIENCE) { worker.terminate(); begin(); return; }
  if (busy || !wanted) { if (!busy) { say("Ready."); } return; }
  busy = performance.now();
  say("Reading …");
  worker.postMessage({ asked: wanted });
  wanted = null;
};
const ask = () => {
  const given = asked();
  history.replaceState(null, "", `#${new URLSearchParams(given)}`);
  wanted = given;
  clearTimeout(timer);
  timer = setTimeout(next, PAUSE);
};
const readAddress = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [key, query] of Object.entries(FIELDS)) { if (given.has("f")) { find(query).value = given.get(key) ?? ""; } }
  wanted = asked();
  next();
};
setInterval(next, 1000);
find("#asked").addEventListener("input", ask);
find("#asked").addEventListener("submit", event => { event.preventDefault(); ask(); });
addEventListener("hashchange", readAddress);
readAddress();
begin();
