// A page with Python in a worker: `heard` has what is done when it is ready, done with what it was given, or broken.
const TOP = new URL(".", import.meta.url).href;
let worker = null, ready = false;
const say = text => { find("#state").textContent = text; };
const startWorker = async (name, heard) => {
  ready = false;
  say("Loading Python …");
  const source = await (await fetch(`${TOP}${name}`)).text();
  worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = ({ data }) => heard[data.kind](data);
  worker.onerror = event => heard.broken({ message: event.message || "the worker did not start" });
  worker.postMessage({ top: TOP });
};
if ("serviceWorker" in navigator) { navigator.serviceWorker.register(`${TOP}kept.js`).catch(() => {}); }
