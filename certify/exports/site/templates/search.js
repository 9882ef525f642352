const MOST = 40, input = find("#q"), results = find("#results"), first = find("#count").textContent;
const terms = text => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const entries = INDEX.map(([title, where, address, words]) => ({ title, where, address, names: terms(title), words: words.split(" ") }));
const scoreOf = ({ names, words }, wanted) => {  // 0 if a word is missing; titles count more, whole words more than prefixes
  let total = 0;
  for (const word of wanted) {
    const found = names.includes(word) ? 20 : names.some(each => each.startsWith(word)) ? 10 : words.includes(word) ? 2 : words.some(each => each.startsWith(word)) ? 1 : 0;
    if (!found) { return 0; }
    total += found;
  }
  return total;
};
const search = () => {
  const all = terms(input.value), wanted = all.filter(word => !COMMON.includes(word)), words = wanted.length ? wanted : all;
  const found = words.length ? entries.map(entry => [scoreOf(entry, words), entry]).filter(([score]) => score).sort(([x], [y]) => y - x) : [];
  results.replaceChildren(...found.slice(0, MOST).map(([, { title, where, address }]) => {
    const item = make("li");
    item.append(make("a", { href: address }, title), make("span", { class: "soft" }, ` ${where}`));
    return item;
  }));
  find("#count").textContent = !words.length ? first : found.length > MOST ? `${found.length} found, the first ${MOST} are shown` : `${found.length} found`;
};
input.value = new URLSearchParams(location.search).get("q") ?? "";
input.addEventListener("input", () => { history.replaceState(null, "", `?${new URLSearchParams({ q: input.value })}`); search(); });
search();
input.focus();
