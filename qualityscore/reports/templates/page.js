"use strict";
for (const form of document.querySelectorAll("form.filters")) {
  const list = document.getElementById(form.dataset.list);
  const items = Array.from(list.querySelectorAll("[data-kind]"));
  const count = form.querySelector("output");
  const apply = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = form.elements.kind.value;
    let shown = 0;
    for (const item of items) {
      const text = item.textContent.toLowerCase();
      const keep = (!kind || item.dataset.kind === kind) && words.every((word) => text.includes(word));
      item.hidden = !keep;
      shown += keep;
    }
    for (const group of list.querySelectorAll("[data-group]")) {
      group.hidden = !group.querySelector("[data-kind]:not([hidden])");
      if (words.length || kind) group.open = true;
    }
    count.textContent = `${shown} of ${items.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
}
