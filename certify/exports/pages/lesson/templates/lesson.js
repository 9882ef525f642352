// The steps of the network on a word: every direction is written once, so the final stream has the output of each step.
let at = 0;
const change = (word, k) => {
  find("#word").value = exchanged(word, k);
  showStep();
  find(`[data-at="${k}"]`).focus();
};
const rowOf = (text, values) => {
  const row = make("tr", { class: "formula-row" });
  row.append(make("th", { scope: "row" }, text), ...values.map(x => make("td", { title: String(x) }, brief(x))));
  return row;
};
const figureOf = (name, word, weights) => {
  const figure = make("figure", { class: "one", "data-name": `head-${name}` });
  figure.append(make("figcaption", { class: "title" }, `Head ${name}: rows attend to columns`), drawGrid(word, weights, null));
  return figure;
};
const showStep = () => {
  const word = parts(find("#word").value), complaint = complaintAbout(word), step = data.steps[at];
  find("#complaint").textContent = complaint;
  find("#back").disabled = at === 0;
  find("#on").disabled = at === data.steps.length - 1;
  find("#where").textContent = `step ${at + 1} of ${data.steps.length}`;
  find("#step-title").textContent = step.title;
  find("#says").replaceChildren(...step.says.map(text => make("li", {}, text)));
  if (complaint) { return; }
  const truths = truthsOf(word), { stream, attention } = forward(word, truths), head = make("thead"), body = make("tbody");
  head.append(headerOf(word, change));
  body.append(...step.rows.map(([direction, text]) => rowOf(text, stream.map(vector => vector[direction]))));
  find("#held").replaceChildren(head, body);
  find("#heads").replaceChildren(...step.heads.map(name => figureOf(name, word, attention[name])));
  const judged = data.judged === "first" ? 0 : word.length - 1, holds = stream[judged][data.output];
  find("#summary").textContent = `At the ${data.judged} position the formula is ${holds > .5 ? "true" : "false"}: the final output of the network there is ${brief(holds)}.`;
};
if (data.steps.length) {
  find(".live").hidden = false;
  find("#word").value = spell(data.start);
  find("#word").addEventListener("input", showStep);
  find("#back").addEventListener("click", () => { at -= 1; showStep(); });
  find("#on").addEventListener("click", () => { at += 1; showStep(); });
  addEventListener("keydown", event => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move || event.target.closest("input, .scroll") || !data.steps[at + move]) { return; }
    at += move;
    showStep();
  });
  showStep();
}
