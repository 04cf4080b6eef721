// The chat: Enter sends, a question takes the focus, a new message comes into view.
"use strict";
(() => {
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !(field instanceof HTMLTextAreaElement)) return;
    if (!field.hasAttribute("data-enter")) return;
    event.preventDefault();
    if (field.value.trim() && !document.querySelector("#send-area [form='stop-form']")) field.form.requestSubmit();
  });

  const takeFocus = (root) => {
    const asked = root.querySelector("[data-focus]");
    if (!asked) return;
    asked.removeAttribute("data-focus");
    asked.focus({ preventScroll: true });
    asked.closest("section").scrollIntoView({ block: "nearest" });
  };

  // What was asked is gone once it is answered: the focus goes back to where one writes.
  const giveBack = () => {
    const field = document.getElementById("text");
    if (field && document.activeElement === document.body) field.focus({ preventScroll: true });
  };

  const turns = document.getElementById("turns");
  if (!turns) return;
  let count = turns.children.length;
  new MutationObserver(() => {
    takeFocus(turns);
    giveBack();
    if (turns.children.length > count) {
      const field = document.getElementById("text");
      field.value = "";
      field.style.height = "";
      turns.lastElementChild.scrollIntoView({ block: "start" });
    }
    count = turns.children.length;
  }).observe(turns, { childList: true, subtree: true });
  takeFocus(turns);
})();
