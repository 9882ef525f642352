// On the page of a certificate Python is loaded when it is asked for.
const button = find("#check-here");
button.hidden = false;
say("");
button.addEventListener("click", () => {
  button.hidden = true;
  startWorker("worker.js", heard);
  addNamed(button.dataset.file, button.dataset.file);
});
