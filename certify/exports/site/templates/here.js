// On the page of a certificate Python is loaded on request.
const button = find("#check-here");
button.hidden = false;
say("");
button.addEventListener("click", () => {
  button.hidden = true;
  startWorker("worker.js", handlers);
  addNamed(button.dataset.file, button.dataset.file);
});
