const SEES = { none: "every j", future: "j ≤ i", past: "j ≥ i" };
const named = direction => data.directions[direction].name;
const linear = row => {
  let text = "";
  for (let k = 0; k < row.length; k += 2) {
    const size = row[k + 1].replace("-", ""), sign = row[k + 1].startsWith("-") ? "−" : "+";
    text += `${text ? ` ${sign} ` : sign === "−" ? sign : ""}${size === "1" ? "" : `${size}·`}${named(row[k])}`;
  }
  return text || "0";
};
const vector = rows => rows.length === 1 ? linear(rows[0]) : `(${rows.map(linear).join(", ")})`;
const inspect = find("#inspect");
const tell = (title, facts) => {
  const list = make("dl"), head = make("p");
  for (const [name, text, style] of facts) { list.append(make("dt", style ? { class: style } : {}, name), make("dd", {}, text)); }
  head.append(make("strong", {}, title));
  inspect.replaceChildren(head, list);
};
const describeHead = block => {
  const head = heads.find(each => each.at === block.lines[0]);
  const temperature = head.weighting === "softmax" && head.temperature.text !== "1" ? ` at temperature ${head.temperature.text}` : "";
  tell(`Head ${head.at}: ${head.name}${head.source ? ` (${head.source})` : ""}`, [
    ["query at i", vector(head.queries), "query"], ["key at j", vector(head.keys), "key-of"],
    ["value at j", head.values.map(([direction, row]) => `${linear(row)} → ${named(direction)}`).join("; "), "value"],
    ["weights", `${head.weighting} over ${SEES[head.mask]}${temperature}`]]);
};
const describeDirection = (direction, more = []) => tell(named(direction), [["holds", data.directions[direction].holds], ...more]);
const unitText = ([reads, bias]) => `ReLU(${linear(reads)}${bias === "0" ? "" : bias.startsWith("-") ? ` − ${bias.slice(1)}` : ` + ${bias}`})`;
const MOST_TERMS = 6;
const describeFeed = block => {
  const layer = data.layers[block.layer - 1], [direction] = block.writes;
  const factor = row => { for (let k = 0; k < row.length; k += 2) { if (row[k] === direction) { return row[k + 1]; } } return null; };
  const terms = layer.units.filter(unit => factor(unit[2]) !== null).map(unit => [factor(unit[2]), unitText(unit)]);
  const most = terms.length > MOST_TERMS ? [`… (${terms.length} ReLUs in all)`] : [];
  const constant = factor(layer.bias), shownTerms = terms.slice(0, MOST_TERMS).map(([x, text], k) => `${x.startsWith("-") ? (k ? " − " : "−") : k ? " + " : ""}${/^-?1$/.test(x) ? "" : `${x.replace("-", "")} `}${text}`);
  describeDirection(direction, [["is", [...shownTerms, ...most].join("") + (constant === null ? "" : `${constant.startsWith("-") ? " − " : shownTerms.length ? " + " : ""}${constant.replace("-", "")}`), "relu"]]);
};
const describeBlock = number => {
  const block = data.blocks[number];
  if (block.kind === "head" || block.kind === "exact") { describeHead(block); } else if (block.kind === "feed") { describeFeed(block); } else {
    describeDirection(block.writes[0], [["embedded", block.kind === "symbol" ? "with the symbol" : "at every position, for every word"]]);
  }
};
const writers = new Map(data.blocks.flatMap((block, number) => block.writes.map(direction => [direction, number])));
const readers = direction => data.blocks.flatMap((block, number) => block.reads.some(([read]) => read === direction) ? [number] : []);
const blockName = number => {
  const { kind, lines, writes } = data.blocks[number];
  return kind === "head" || kind === "exact" ? `head ${lines[0]}` : named(writes[0]);
};
const rested = () => {
  const number = data.blocks.findIndex(block => block.writes.includes(data.output));
  if (number >= 0) { describeBlock(number); }
  inspect.append(make("p", { class: "soft" }, "Point at a block or a wire, tap it, or tab into the picture and use the arrow keys."));
};
const connect = net => {
  const blocks = all(".block", net), wires = all(".wire", net);
  const clear = () => { net.classList.remove("dim"); for (const each of all(".lit", net)) { each.classList.remove("lit"); } };
  const light = (numbers, directions, reader) => {
    clear();
    net.classList.add("dim");
    for (const block of blocks) { if (numbers.has(Number(block.dataset.b))) { block.classList.add("lit"); } }
    for (const wire of wires) {
      const direction = Number(wire.dataset.d);
      if (!directions.has(direction)) { continue; }
      wire.classList.add("lit");
      for (const part of all("[data-to]", wire)) {
        const to = Number(part.dataset.to);
        if (reader === null || to === reader || writers.get(direction) === reader) { part.classList.add("lit"); }
      }
    }
  };
  const showBlock = number => {
    const { reads, writes } = data.blocks[number], read = reads.map(([direction]) => direction);
    const ends = new Set([number, ...read.map(direction => writers.get(direction)), ...writes.flatMap(readers)]);
    light(ends, new Set([...read, ...writes]), number);
    describeBlock(number);
  };
  const showWire = direction => {
    const those = readers(direction);
    light(new Set([writers.get(direction), ...those]), new Set([direction]), null);
    describeDirection(direction, [["written by", blockName(writers.get(direction))], ["read by", those.map(blockName).join(", ")]]);
  };
  let held = null;
  const rest = () => { if (held !== null) { showBlock(held); } else { clear(); rested(); } };
  const middle = block => { const box = block.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const next = (block, [right, down]) => {
    const [x, y] = middle(block);
    let best = null, least = Infinity;
    for (const other of blocks) {
      const [u, v] = middle(other), along = (u - x) * right + (v - y) * down, off = Math.abs((u - x) * down) + Math.abs((v - y) * right);
      if (other !== block && along > 4 && along + 2 * off < least) { [best, least] = [other, along + 2 * off]; }
    }
    return best;
  };
  blocks.forEach((block, k) => {
    const number = Number(block.dataset.b);
    block.setAttribute("tabindex", k ? -1 : 0);
    block.setAttribute("role", "button");
    block.addEventListener("pointerenter", () => showBlock(number));
    block.addEventListener("focus", () => { held = number; showBlock(number); });
    block.addEventListener("click", () => block.focus());
    block.addEventListener("keydown", event => {
      const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
      if (event.key === "Escape") { held = null; block.blur(); rest(); }
      if (step) { event.preventDefault(); next(block, step)?.focus(); }
    });
  });
  for (const wire of wires) {
    wire.addEventListener("pointerenter", () => showWire(Number(wire.dataset.d)));
    wire.addEventListener("click", () => { held = null; showWire(Number(wire.dataset.d)); });
  }
  net.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") { rest(); } });
};
if (inspect) {
  inspect.hidden = false;
  rested();
  all(".net").forEach(connect);
}
