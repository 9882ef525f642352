// Words as typed, and numbers as displayed.
const NEAR_END = 5e-5, EXACT = 1e-9;
const brief = x => {
  const whole = Math.round(x), miss = x - whole;
  if (Math.abs(miss) < EXACT) { return String(whole); }
  return Math.abs(miss) < NEAR_END ? `${whole}${miss > 0 ? "+" : "−"}` : x.toFixed(3).replace(/^0/, "");
};
const parts = text => {
  const cleaned = text.trim();
  if (!cleaned) { return []; }
  const by = [",", " "].find(mark => cleaned.includes(mark) && !data.alphabet.includes(mark));  // a,b,c or a b c or abc
  if (by) { return cleaned.split(by === "," ? "," : /\s+/).map(symbol => symbol.trim()); }
  return separator ? [cleaned] : [...text];
};
const complaintAbout = word => {
  const strange = word.find(symbol => !data.alphabet.includes(symbol)), most = data.longest;
  if (!word.length) { return "A word has at least one symbol."; }
  if (strange !== undefined) { return `${strange || "nothing"} is not in the alphabet ${data.alphabet.join(", ")}.`; }
  if (word.length > most) { return `Words to try have at most ${most} symbols.`; }
  return word.length < data.first ? `The claim is about words of at least ${data.first} symbols.` : "";
};
