"use strict";
// Colours, contents and files: what the whole page shares.
const root = document.documentElement;
root.classList.add("js");

const report = {
  status: document.getElementById("status"),
  say(text) { this.status.textContent = text; },
  save(name, content, type = "text/plain;charset=utf-8") {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], {type}));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.say(`${name} saved`);
  },
};

{
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", dark());
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; show(); });
  system.addEventListener("change", show);
  show();
}

// The contents follow the reader.
{
  const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a]));
  const places = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const follow = () => {
    const passed = places.filter((place) => place.getBoundingClientRect().top < innerHeight / 3);
    const here = passed.length ? passed[passed.length - 1] : places[0];
    for (const [id, link] of links) {
      if (here && id === here.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", follow, {passive: true});
  follow();
}

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => {
    report.save(button.dataset.save, button.closest("details").querySelector("pre").textContent);
  });
}
