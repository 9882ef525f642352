"use strict";
for (const button of document.querySelectorAll("button[data-copy]")) {
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
const opened = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target) { for (const details of target.querySelectorAll("details")) { details.open = true; } }
};
addEventListener("hashchange", opened);
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) { details.open = true; }
});
opened();
