const addOfAddress = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (/^gallery\/[\w.-]+\.cert$/.test(name)) { addNamed(name.split("/")[1], name); }
};
find("#file").addEventListener("change", event => { add(event.target.files); event.target.value = ""; });  // the same file may be chosen again
const drop = find("#drop");
for (const name of ["dragenter", "dragover"]) { drop.addEventListener(name, event => { event.preventDefault(); drop.classList.add("over"); }); }
for (const name of ["dragleave", "drop"]) { drop.addEventListener(name, event => { event.preventDefault(); drop.classList.remove("over"); }); }
drop.addEventListener("drop", event => add(event.dataTransfer.files));
addEventListener("hashchange", addOfAddress);
startWorker("worker.js", handlers);
addOfAddress();
