const data = JSON.parse(find("#data").textContent);
let word = [];
const entryOf = letters => data.entries[letters.join(" ")];
const known = letters => letters.length > 0 && letters.every((_, k) => entryOf(letters.slice(0, k + 1)));
const spelt = letters => letters.map(letter => data.alphabet[letter]).join(data.alphabet.every(each => each.length === 1) ? "" : " ");
const exchangedAt = k => word.map((letter, place) => place === k ? (letter + 1) % data.alphabet.length : letter);
const show = letters => {
  word = letters;
  const prefixes = word.map((_, k) => entryOf(word.slice(0, k + 1))), last = prefixes[prefixes.length - 1], rows = [];
  const around = cells => [...data.before.map(() => ""), ...cells, ...data.after.map(() => "")];
  const add = (name, cells) => {
    const row = make("tr");
    row.append(make("th", { scope: "row" }, name), ...cells.map(cell => {
      const made = make("td");
      made.append(cell);
      return made;
    }));
    rows.push(row);
  };
  add("letter", [...data.before, ...word.map((letter, k) => {
    const button = make("button", { type: "button", "data-at": k }, data.alphabet[letter]);
    button.disabled = !known(exchangedAt(k));
    button.addEventListener("click", () => { show(exchangedAt(k)); find(`[data-at="${k}"]`).focus(); });
    return button;
  }), ...data.after]);
  data.heads.forEach((name, head) => ["soft", "hard"].forEach(kind => add(`head ${name}, ${kind}`, last[kind][head].map(String))));
  const said = answer => answer === null ? "–" : answer ? "yes" : "no";
  last.claim.forEach((_, row) => {
    const which = last.claim.length > 1 ? ` ${row + 1}` : "";
    ["soft", "hard"].forEach((kind, place) => add(`${kind}: answer${which}`, around(prefixes.map(each => said(each.answers[place][row])))));
    add(`claim${which}`, around(prefixes.map(each => said(each.claim[row]))));
  });
  Object.keys(last.program).forEach(name => add(`program: ${name}`, around(prefixes.map(each => each.program[name]))));
  find("#word-table tbody").replaceChildren(...rows);
  find("#shorter").disabled = word.length < 2;
  find("#longer").disabled = !known([...word, 0]);
  find("#spoken").textContent = last.claim.some((asked, row) => asked !== null && asked !== last.answers[0][row]) ? `as trained it is wrong on ${spelt(word)}` : "";
};
find(".live").hidden = false;
for (const each of data.listed) { find("#listed").append(make("option", { value: each }, spelt(each.split(" ").map(Number)))); }
const choose = () => show(find("#listed").value.split(" ").map(Number));
find("#listed").addEventListener("change", choose);
find("#shorter").addEventListener("click", () => show(word.slice(0, -1)));
find("#longer").addEventListener("click", () => show([...word, 0]));
choose();
