// Small things that HTML alone cannot do; everything else is made by the server.
"use strict";

// What is wrong with the arguments stands at its field, too.
function placeProblems() {
  const form = document.getElementById("arguments");
  if (!form) return;
  for (const problem of form.querySelectorAll(".problem")) { problem.textContent = ""; problem.hidden = true; }
  for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  const boxes = new Map([...form.querySelectorAll(".box[data-pointer]")].map((box) => [box.dataset.pointer, box]));
  for (const line of document.querySelectorAll("#checked [data-problem], #outcome [data-problem]")) {
    const box = boxes.get(line.dataset.pointer);
    // What is not written yet is no mistake before one wants to send it.
    const isEarly = line.dataset.missing === "true" && !line.closest("#outcome");
    if (!box || isEarly) continue;
    const place = box.querySelector(":scope > .problem, :scope > div > .problem");
    if (place) { place.textContent = line.dataset.problem; place.hidden = false; }
    const control = box.matches(".field") && box.querySelector("input, select, textarea");
    if (control) control.setAttribute("aria-invalid", "true");
  }
}

// After a press the reader is taken to what came of it, such as a question.
// A press on a button of rows goes on in the new row, or where another one is added.
function followRows() {
  const box = document.querySelector("[data-changed]");
  if (!box) return;
  box.removeAttribute("data-changed");
  const row = box.querySelector("[data-added]");
  const controls = "input:not([type=hidden]), select, textarea";
  const wanted = row ? row.querySelector(controls) : [...box.querySelectorAll("button, select")].pop();
  if (row) row.removeAttribute("data-added");
  if (wanted) wanted.focus();
}

document.addEventListener("htmx:after:swap", () => {
  placeProblems();
  followRows();
  const outcome = document.getElementById("outcome");
  const fresh = outcome && outcome.querySelector("[data-focus]:not([data-seen])");
  if (fresh) { fresh.dataset.seen = ""; fresh.focus(); }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest && event.target.closest("[data-take]");
  if (!button) return;
  const control = button.closest(".box").querySelector("input, select, textarea");
  control.value = button.dataset.take;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.focus();
});
