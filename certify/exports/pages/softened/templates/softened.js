const input = find("#word"), select = find("#head"), table = find("#truth");
const compare = word => {  // the final streams of hard and soft attention, and the 1-norm of their difference
  const truths = truthsOf(word), hard = forward(word, truths), soft = forward(word, truths, data.softened);
  const moved = hard.stream.map((vector, k) => vector.reduce((total, x, d) => total + Math.abs(x - soft.stream[k][d]), 0));
  return { hard, soft, moved };
};
const row = (name, cells, style) => {
  const made = make("tr", { class: style });
  made.append(make("th", { scope: "row" }, name), ...cells.map(text => make("td", {}, text)));
  return made;
};
const update = () => {
  const word = parts(input.value), complaint = complaintAbout(word);
  find("#complaint").textContent = complaint;
  if (complaint) { return; }
  const { hard, soft, moved } = compare(word), held = run => run.stream.map(vector => brief(vector[data.output]));
  find("#hard").replaceChildren(drawGrid(word, hard.attention[select.value], null));
  find("#soft").replaceChildren(drawGrid(word, soft.attention[select.value], null));
  table.replaceChildren(row("word", word, "formula-row"), row(`${named(data.output)}, hard`, held(hard), "formula-row"),
    row(`${named(data.output)}, soft`, held(soft), "formula-row"), row("moved in all", moved.map(x => x < 5e-7 ? "0" : x.toExponential(0)), "formula-row"));
  find("#summary").textContent = `Greatest movement on this word: ${shown(Math.max(...moved))}; certified for all words of this length: at most ${data.bounds[word.length - 1].toFixed(6)}.`;
};
find(".live").hidden = false;
input.value = spell(data.start);
input.addEventListener("input", update);
select.addEventListener("change", update);
update();
