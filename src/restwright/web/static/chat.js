// The chat: Enter sends, a question takes the focus, a new message comes into view.
// Loaded without `defer`, so that no field is there before Enter sends what is written in it.
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

  document.addEventListener("DOMContentLoaded", () => {
    const turns = document.getElementById("turns");
    if (!turns) return;
    // Beside each other there is room for what was done; below each other the words come first.
    const isNarrow = matchMedia("(max-width: 59.99rem)");
    const fold = (all) => all.forEach((trace) => trace.removeAttribute("open"));
    if (isNarrow.matches) fold(turns.querySelectorAll(".trace"));
    let count = turns.children.length;
    new MutationObserver(() => {
      takeFocus(turns);
      giveBack();
      if (turns.children.length > count) {
        const field = document.getElementById("text");
        field.value = "";
        field.style.height = "";
        fold(turns.querySelectorAll(isNarrow.matches ? ".trace" : ".turn:not(:last-child) .trace"));
        turns.lastElementChild.scrollIntoView({ block: "start" });
      }
      count = turns.children.length;
    }).observe(turns, { childList: true, subtree: true });
    takeFocus(turns);
  });
})();
