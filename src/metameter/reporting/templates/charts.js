"use strict";
// Charts: drawn one after the other, so that the page answers meanwhile.
{
  const views = new Map();
  const ERRORS = 1;

  // In a legend that picks out curves, one entry is a stop of the Tab key; arrows lead to the others.
  const reachable = (place) => {
    for (const legend of place.querySelectorAll(".role-legend-entry")) {
      const labels = [...legend.querySelectorAll(".role-legend-label text")];
      labels.forEach((label, i) => {
        label.setAttribute("tabindex", i ? "-1" : "0");
        label.setAttribute("role", "button");
        label.setAttribute("aria-label", `Pick out ${label.textContent}`);
      });
      legend.addEventListener("keydown", (event) => {
        const at = labels.indexOf(event.target);
        const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
        if (at < 0) return;
        if (step) labels[(at + step + labels.length) % labels.length].focus();
        else if (event.key === "Enter" || event.key === " ") {
          event.target.dispatchEvent(new MouseEvent("click", {bubbles: true, view: window}));
        } else return;
        event.preventDefault();
      });
    }
  };

  const draw = async (holder) => {
    const spec = JSON.parse(holder.textContent);
    const place = holder.nextElementSibling;
    const picks = holder.textContent.includes('"bind":"legend"');
    const drawn = await vegaEmbed(place, spec, {renderer: "svg", actions: false, logLevel: ERRORS});
    views.set(place, drawn.view);
    if (picks) reachable(place);
    place.dataset.drawn = "yes";
  };

  for (const button of document.querySelectorAll("button.image")) {
    button.addEventListener("click", async () => {
      const place = button.closest("figure").querySelector(".drawing");
      const view = views.get(place);
      const name = `${place.dataset.name}.${button.dataset.kind}`;
      if (button.dataset.kind === "svg") report.save(name, await view.toSVG(), "image/svg+xml");
      else (await view.toCanvas(2)).toBlob((image) => report.save(name, image, "image/png"));
    });
  }

  (async () => {
    for (const holder of document.querySelectorAll("script.chart")) {
      await draw(holder);
      await new Promise((then) => setTimeout(then));
    }
    root.dataset.charts = "drawn";
  })();
}
