const data = JSON.parse(document.getElementById("data").textContent);
const heads = data.layers.flatMap((layer, l) => layer.heads.map((head, h) => ({ ...head, at: `${l + 1}.${h + 1}` })));
const approximations = data.approximations.map(each => ({ ...each, head: heads.find(head => head.at === `${each.layer}.${each.place}`) }));
const separator = data.alphabet.every(symbol => [...symbol].length === 1) ? "" : ",";
const spell = word => word.join(separator);
const shown = error => error === 0 ? "0" : error < 1e-5 ? error.toExponential(1) : (Math.ceil(error * 1e6 - 1e-3) / 1e6).toFixed(6);  // rounded up

const READABLE = matchMedia("(prefers-color-scheme: dark)").matches ? .35 : .75;  // from this weight on the page's own colour is more readable
const drawGrid = (word, weights, framed) => {
  const n = word.length, long = Math.max(...word.map(symbol => [...symbol].length)) > 1;
  const short = symbol => [...symbol].length > 4 ? `${[...symbol].slice(0, 3).join("")}…` : symbol;
  const svg = make("svg:svg", { class: "large", viewBox: `-2 -1.6 ${n + 2.2} ${n + 1.8}`, role: "img", "aria-label": `Attention on ${spell(word)}`, style: `max-width: ${(2.4 * n + 5).toFixed(1)}rem` });
  word.forEach((symbol, k) => {
    const here = k + 1 === framed ? " here" : "", size = long ? .34 : .5;
    svg.append(
      make("svg:text", { class: "symbol", x: k + .5, y: -.62, "text-anchor": "middle", "font-size": size }, short(symbol)),
      make("svg:text", { class: "tick", x: k + .5, y: -.15, "text-anchor": "middle", "font-size": .32 }, k + 1),
      make("svg:text", { class: `symbol${here}`, x: -.72, y: k + .68, "text-anchor": "end", "font-size": size }, short(symbol)),
      make("svg:text", { class: "tick", x: -.15, y: k + .62, "text-anchor": "end", "font-size": .32 }, k + 1));
  });
  svg.append(make("svg:rect", { class: "field", x: 0, y: 0, width: n, height: n }));
  weights.forEach((row, r) => row.forEach((weight, c) => {
    if (weight < 4e-4) { return; }
    svg.append(make("svg:rect", { class: "w", x: c + .03, y: r + .03, width: .94, height: .94, opacity: Math.sqrt(weight).toFixed(2) }));
    if (n <= 16 && weight >= 5e-3) {
      const text = weight > .9995 ? "1" : weight.toFixed(3).slice(1);
      svg.append(make("svg:text", { class: weight > READABLE ? "number-on" : "number-off", x: c + .5, y: r + .6, "text-anchor": "middle", "font-size": .27 }, text));
    }
  }));
  if (framed) { svg.append(make("svg:rect", { class: "frame", x: -.04, y: framed - 1.04, width: n + .08, height: 1.08 })); }
  return svg;
};
const place = (svg, event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());

const reader = map => {  // the error at a place of a map
  if (map.cells) { return k => map.values[data.characters.indexOf(map.cells[k])]; }
  const cells = new DataView(Uint8Array.from(atob(map.singles), character => character.charCodeAt(0)).buffer);
  return k => cells.getFloat32(4 * k, true);
};
for (const svg of all(".heat")) {
  const map = data.maps[svg.dataset.map], readout = find(`[data-readout="${svg.dataset.map}"]`), first = readout.textContent;
  const last = map.places.length, cross = find(".cross", svg), errorAt = reader(map), error = (a, b) => errorAt(a * (a + 1) / 2 + b);
  let [a, b] = [map.places.indexOf(map.worst[0]), map.places.indexOf(map.worst[1])];
  const show = () => {
    const e = error(a, b), where = `n = ${map.places[a]}, i = ${map.places[b]}`;
    cross.setAttribute("visibility", "visible");
    find("path", cross).setAttribute("d", `M${a} ${last - b}h1v-1h-1z`);
    readout.textContent = e < 0 ? `${where}: nothing is claimed` : `${where}: error ${shown(e)}`;
  };
  const rest = () => { cross.setAttribute("visibility", "hidden"); readout.textContent = first; };
  svg.addEventListener("pointermove", event => {
    const p = place(svg, event), x = Math.floor(p.x), y = last - 1 - Math.floor(p.y);
    if (x >= 0 && x < last && y >= 0 && y <= x) { [a, b] = [x, y]; show(); }
  });
  svg.addEventListener("pointerleave", rest);
  svg.addEventListener("focus", show);
  svg.addEventListener("blur", rest);
  svg.addEventListener("keydown", event => {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) { return; }
    event.preventDefault();
    a = Math.min(last - 1, Math.max(0, a + step[0]));
    b = Math.min(a, Math.max(0, b + step[1]));
    show();
  });
}
