// The letters of a word over a table, each a button that changes it.
const exchanged = (word, k) => {  // the word with the next letter of the alphabet there, as typed
  const next = data.alphabet[(data.alphabet.indexOf(word[k]) + 1) % data.alphabet.length];
  return spell([...word.slice(0, k), next, ...word.slice(k + 1)]);
};
const headerOf = (word, change) => {
  const row = make("tr");
  row.append(make("th", { scope: "col" }, "word"));
  word.forEach((symbol, k) => {
    const cell = make("th", { scope: "col" }), button = make("button", { type: "button", "data-at": k, "aria-label": `Position ${k + 1} is ${symbol}; change it` }, symbol);
    button.addEventListener("click", () => change(word, k));
    cell.append(make("small", {}, k + 1), button);
    row.append(cell);
  });
  return row;
};
