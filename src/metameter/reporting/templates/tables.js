"use strict";
// Tables: sort by a heading, filter, show Monte-Carlo errors, save.
for (const sheet of document.querySelectorAll(".sheet")) {
  const body = sheet.querySelector("tbody");
  const rows = [...body.rows];
  const heads = [...sheet.querySelectorAll("thead th")];
  const language = new Intl.Collator("en", {numeric: true});

  const compare = (column) => (a, b) => {
    const [x, y] = [a.cells[column], b.cells[column]];
    if (!heads[column].classList.contains("number")) return language.compare(x.textContent, y.textContent);
    return Number(x.dataset.v) - Number(y.dataset.v);
  };

  const sort = (column) => {
    const before = heads[column].getAttribute("aria-sort");
    const number = heads[column].classList.contains("number");
    // Numbers first from the largest down, names from A; a third time, as it was.
    const first = number ? "descending" : "ascending";
    const second = number ? "ascending" : "descending";
    const order = before === first ? second : before === second ? "none" : first;
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === column ? order : "none"));
    // What is missing stands last in either order.
    const empty = (row) => row.cells[column].textContent.trim() === "";
    const known = rows.filter((row) => !empty(row));
    if (order !== "none") known.sort(compare(column));
    if (order === "descending") known.reverse();
    body.append(...(order === "none" ? rows : [...known, ...rows.filter(empty)]));
    report.say(order === "none" ? "order of the report" : `sorted by ${heads[column].textContent}, ${order}`);
  };

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.dataset.heading = head.textContent;
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sort(column));
  });

  const filter = sheet.querySelector(".filter");
  filter?.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      const canonical = Array.from(row.querySelectorAll("[data-canonical]"), (cell) => cell.dataset.canonical);
      const text = [row.textContent, ...canonical].join(" ").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      left += row.hidden ? 0 : 1;
    }
    report.say(`${left} of ${rows.length} rows`);
  });

  const errors = sheet.querySelector("button.errors");
  errors?.addEventListener("click", () => {
    errors.setAttribute("aria-pressed", sheet.classList.toggle("with-errors"));
  });

  for (const button of sheet.querySelectorAll("button.save")) {
    button.addEventListener("click", () => {
      const files = JSON.parse(sheet.querySelector("script.files").textContent);
      report.save(`${sheet.dataset.name}.${button.dataset.kind}`, files[button.dataset.kind]);
    });
  }
}
