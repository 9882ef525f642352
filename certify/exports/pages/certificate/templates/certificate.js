const judge = word => {  // compares the network with the formulas on a word
  const truths = truthsOf(word), { stream, attention } = forward(word, truths);
  const judged = { rows: [], attention, wrong: 0, farthest: null, output: stream.map(vector => vector[data.output]) };
  const judgeTruth = row => {
    const truth = truths[row.node];
    for (const direction of row.exact) { truth.forEach((x, k) => { if (Math.abs(stream[k][direction] - x) > 1e-6) { judged.wrong += 1; } }); }
    const near = row.near.length ? truth.map((x, k) => {
      const claimed = row.near.find(([, when]) => truths[when][k]);
      if (!claimed) { return null; }
      const value = stream[k][claimed[0]];
      judged.farthest = Math.max(judged.farthest ?? 0, Math.abs(value - x));
      return value;
    }) : null;
    return { text: row.text, truth, near };
  };
  const judgeCount = row => {
    const [side, node] = row.count, here = truths[node], [near] = row.near;
    return { text: row.text, numbers: countOf(here, side), near: near ? here.map((x, k) => stream[k][near[0]] + x) : null };
  };
  judged.rows = data.truths.rows.map(row => row.count ? judgeCount(row) : judgeTruth(row));
  return judged;
};
const input = find("#word"), select = find("#head"), table = find("#truth");
const change = (word, k) => {
  input.value = exchanged(word, k);
  update();
  find(`[data-at="${k}"]`, table).focus();
};
const truthCell = x => { const cell = make("td"); cell.append(make("span", { class: x ? "true" : "false" }, x ? "T" : "·")); return cell; };
const truthRows = ({ text, truth, numbers, near }, last) => {
  const row = make("tr", { class: last ? "formula-row result" : "formula-row" });
  row.append(make("th", { scope: "row" }, text));
  row.append(...(numbers ? numbers.map(x => make("td", {}, x)) : truth.map(truthCell)));
  if (!near) { return [row]; }
  const soft = make("tr", { class: "near-row" });
  soft.append(make("th", { scope: "row" }, "before rounding"));
  for (const x of near) { soft.append(make("td", x === null ? {} : { title: String(x) }, x === null ? "" : brief(x))); }
  return [row, soft];
};
const drawAttention = (word, attention) => {
  const head = heads.find(each => each.at === select.value);
  if (!head) { return; }
  const weights = attention[head.at], svg = drawGrid(word, weights, null), readout = find("#attention-readout");
  svg.addEventListener("pointermove", event => {
    const p = place(svg, event), c = Math.floor(p.x), r = Math.floor(p.y), inside = r >= 0 && r < word.length && c >= 0 && c < word.length;
    readout.textContent = inside ? `position ${r + 1} (${word[r]}) to position ${c + 1} (${word[c]}): ${weights[r][c].toPrecision(4)}` : "";
  });
  find("#attention").replaceChildren(svg);
  find("#attention-name").textContent = `Head ${head.at}, ${head.name}: rows attend to columns`;
};
const summary = ({ wrong, farthest }) => {
  const after = wrong ? `${wrong} places differ from the truth by more than rounding explains.` : "After rounding, every direction is correct, at every position.";
  const before = farthest === null ? "" : ` Greatest error before rounding: ${shown(farthest)}; 0.25 is allowed.`;
  const left = data.truths.left_out ? ` The first ${data.truths.left_out} subformulas are left out.` : "";
  return `${after}${before} T is true, · is false.${left}`;
};
const update = () => {
  const word = parts(input.value), complaint = complaintAbout(word);
  find("#complaint").textContent = complaint;
  if (complaint) { return; }
  const judged = judge(word), head = make("thead"), body = make("tbody");
  head.append(headerOf(word, change));
  judged.rows.forEach((row, k) => body.append(...truthRows(row, k === judged.rows.length - 1)));
  table.replaceChildren(head, body);
  find("#summary").textContent = summary(judged);
  drawAttention(word, judged.attention);
};
const MOST_PRESETS = 10;
if (data.truths) {
  find(".live").hidden = false;
  input.value = spell(data.start);
  if (approximations.length) { select.value = approximations[approximations.length - 1].head.at; }
  for (const each of approximations.filter(one => one.case).slice(0, MOST_PRESETS)) {
    const same = approximations.filter(one => one.head === each.head), which = same.length > 1 ? `, ${same.indexOf(each) + 1} of ${same.length}` : "";
    const button = make("button", { type: "button" }, `worst for ${each.head.at}${which}`);
    button.addEventListener("click", () => { input.value = spell(each.case.word); select.value = each.head.at; update(); });
    find(".presets").append(button);
  }
  input.addEventListener("input", update);
  select.addEventListener("change", update);
  update();
}

const dialog = find("#large");
for (const button of all("[data-open]")) {
  button.addEventListener("click", () => {
    const each = approximations[button.dataset.open];
    if (!each) { return; }
    const { word, i, error, should, seconded } = each.case, box = find("div", dialog);
    const { attention } = data.truths ? judge(word) : { attention: null };
    const text = `On ${spell(word)}, at position ${i}, ${named(each.direction)} has the error ${shown(error)}${seconded ? ", confirmed by mpmath" : ""}; it should be ${should}.`;
    box.replaceChildren(make("h3", {}, `Head ${each.head.at}: ${each.head.name}`), make("p", {}, text));
    if (attention) { box.append(drawGrid(word, attention[each.head.at], i)); }
    dialog.showModal();
  });
}
dialog.addEventListener("click", event => { if (event.target === dialog) { dialog.close(); } });
