"use strict";
// Charts: drawn one after the other, so that the page answers meanwhile; and anew where the page becomes narrower.
{
  const drawn = new Map();
  const ERRORS = 1;
  // Narrower than this, panels stand one below the other, and legends below the panels.
  const NARROW = 520, LEAST = 90;
  // The squares of a map may be this narrow where the names below them stand upright, and not where they are aslant.
  const UPRIGHT = 10.5, ASLANT = 16;

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

  // How wide a chart may be; what is folded away is as wide as its section.
  const roomOf = (place) => Math.floor(place.clientWidth || place.closest("section").clientWidth - 50);

  const panelsOf = (spec) => spec.concat || [spec];

  // All encodings, wherever they stand.
  const encodings = (part) => [
    ...(part.encoding ? [part.encoding] : []),
    ...[...(part.layer || []), ...(part.concat || [])].flatMap(encodings),
  ];

  const narrowed = (spec, room) => {
    // Names longer than half the page end in dots; pointing at a dot tells the whole name.
    spec.config.axis = {...spec.config.axis, labelLimit: Math.round(room * 0.58)};
    spec.config.legend = {...spec.config.legend, orient: "bottom", direction: "vertical", columns: 1, labelLimit: 260};
    for (const channels of encodings(spec)) {
      for (const channel of Object.values(channels)) {
        // Side by side they would be wider than the page.
        const columns = channel.legend?.orient === "top" ? spec.usermeta?.legend || 2 : 1;
        if (channel.legend) channel.legend = {...channel.legend, columns};
        if (channel.legend && channel.type === "quantitative") channel.legend.direction = "horizontal";
      }
    }
    for (const each of spec.params || []) if (each.name === "narrow") each.value = true;
  };

  const isText = (layer) => layer.mark?.type === "text";
  const columnsOf = (panel) => Math.max(1, ...encodings(panel).map((e) => e.x?.sort?.length || 1));

  // Of maps that are still too wide: no values in squares too narrow for them, and upright names below them.
  const sparser = (spec, fitting) => {
    let changed = spec.usermeta.least === ASLANT;
    if (changed) {
      spec.usermeta.least = UPRIGHT;
      spec.config = {...spec.config, axis: {...spec.config?.axis, ticks: false, labelPadding: 2}, padding: 2};
    }
    for (const panel of panelsOf(spec)) {
      if (!panel.layer?.some(isText) || panel.width <= fitting) continue;
      panel.layer = panel.layer.filter((layer) => !isText(layer));
      changed = true;
    }
    return changed;
  };

  // Make it fit: fewer panels abreast; if there is but one, a narrower one. False if nothing helps.
  const tightened = (spec, wide, room) => {
    const abreast = Math.min(spec.columns || 1, panelsOf(spec).length);
    if (spec.concat && abreast > 1) {
      spec.columns = Math.max(1, Math.min(abreast - 1, Math.floor(room / (wide / abreast))));
      return true;
    }
    let changed = false;
    const {least = LEAST, written = least, each = false} = spec.usermeta || {};
    const sized = panelsOf(spec).filter((panel) => typeof panel.width === "number");
    // Narrower panels than the widest one may fit already.
    const fitting = Math.max(0, ...sized.map((panel) => panel.width)) - (wide - room);
    for (const panel of sized) {
      const counted = each ? columnsOf(panel) : 1;
      const narrower = Math.max((panel.layer?.some(isText) ? written : least) * counted, fitting);
      if (narrower < panel.width) {
        panel.width = narrower;
        changed = true;
        if (each && narrower < ASLANT * counted) {
          for (const {x} of encodings(panel)) if (x?.axis?.labelAngle === -45) x.axis.labelAngle = -90;
        }
      }
    }
    return changed || (Boolean(spec.usermeta?.written) && sparser(spec, fitting));
  };

  const draw = async (holder) => {
    const place = holder.nextElementSibling;
    const room = roomOf(place);
    const spec = JSON.parse(holder.textContent);
    if (room < NARROW && spec.config) narrowed(spec, room);
    let made;
    for (let attempt = 0; attempt < 7; attempt++) {
      made?.finalize();
      made = await vegaEmbed(place, JSON.parse(JSON.stringify(spec)), {renderer: "svg", actions: false, logLevel: ERRORS});
      const wide = Number(place.querySelector("svg").getAttribute("width"));
      if (wide <= room || !tightened(spec, wide, room)) break;
    }
    drawn.get(place)?.made.finalize();
    drawn.set(place, {made, room});
    if (holder.textContent.includes('"bind":"legend"')) reachable(place);
    place.dataset.drawn = "yes";
  };

  for (const button of document.querySelectorAll("button.image")) {
    button.addEventListener("click", async () => {
      const place = button.closest("figure").querySelector(".drawing");
      const {view} = drawn.get(place).made;
      const name = `${place.dataset.name}.${button.dataset.kind}`;
      if (button.dataset.kind === "svg") report.save(name, await view.toSVG(), "image/svg+xml");
      else (await view.toCanvas(2)).toBlob((image) => report.save(name, image, "image/png"));
    });
  }

  const holders = [...document.querySelectorAll("script.chart")];
  const changed = (holder) => drawn.get(holder.nextElementSibling)?.room !== roomOf(holder.nextElementSibling);
  const drawAll = async () => {
    delete root.dataset.charts;
    for (const holder of holders.filter(changed)) {
      await draw(holder);
      await new Promise((then) => setTimeout(then));
    }
    root.dataset.charts = "drawn";
  };
  // One after the other: two drawings of one chart would get into each other's way.
  let queue = drawAll();

  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { queue = queue.then(drawAll); }, 150);
  });
}
