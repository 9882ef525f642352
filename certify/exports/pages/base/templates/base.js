for (const button of all("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 2000);
    } catch {
      getSelection().selectAllChildren(code);
    }
  });
}

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family",
  "font-weight", "text-anchor", "vector-effect", "visibility", "stroke-opacity", "stroke-linejoin", "stroke-linecap", "paint-order"];
const standalone = svg => {  // styles of the page become attributes, so that the file is standalone
  const copy = svg.cloneNode(true), copies = [copy, ...all("*", copy)];
  [svg, ...all("*", svg)].forEach((original, place) => {
    const style = getComputedStyle(original);
    for (const name of ["class", ...KEPT]) { copies[place].removeAttribute(name); }
    copies[place].setAttribute("style", KEPT.map(name => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number), shown = Math.max(480, width);
  const attributes = { width: shown, height: shown * height / width, xmlns: SVG };
  for (const [name, value] of Object.entries(attributes)) { copy.setAttribute(name, value); }
  copy.prepend(make("svg:rect", { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
};
const save = button => {
  const figure = button.closest("figure"), svg = all("svg", figure).find(each => each.getClientRects().length);
  if (!svg) { return; }
  const address = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
  make("a", { download: `${figure.dataset.name}.svg`, href: address }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
for (const button of all("button[data-save]")) {
  button.hidden = false;
  button.addEventListener("click", () => save(button));
}

const opened = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) { for (const details of all("details:not(.folded)", target.closest("section") ?? target)) { details.open = true; } }
};
addEventListener("hashchange", opened);
addEventListener("beforeprint", () => {
  for (const details of all("details:not(.folded, .long)")) { details.open = true; }
});
opened();
