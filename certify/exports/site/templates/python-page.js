// A page with Python in a worker: `handlers` are called when it is ready, done or broken.
const TOP = new URL(".", import.meta.url).href;
let worker = null, ready = false, place = "#state";
const say = text => { find(place).textContent = text; };
const makeWorker = async name => {  // from a blob: then it has the policy of this page
  const source = await (await fetch(`${TOP}${name}`)).text();
  return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
};
const startWorker = async (name, handlers) => {
  ready = false;
  say("Loading Python …");
  worker = await makeWorker(name);
  worker.onmessage = ({ data }) => {
    if (data.kind === "ready") { keepAll(); }
    handlers[data.kind](data);
  };
  worker.onerror = event => handlers.broken({ message: event.message || "the worker did not start" });
  worker.postMessage({ top: TOP });
};
const keepAll = () => {  // after the request, and not on metered connections
  if ("serviceWorker" in navigator && !navigator.connection?.saveData) { navigator.serviceWorker.register(`${TOP}kept.js`).catch(() => {}); }
};
