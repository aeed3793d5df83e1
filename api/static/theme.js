// Light or dark: the reader's choice if there is one, else the system's. Runs before the page is drawn.
"use strict";
(function () {
  const root = document.documentElement;
  let saved = null;
  try {
    saved = localStorage.getItem("spidervet-theme");
  } catch {
    // Storage may be closed to us; the system's choice then stands.
  }
  if (saved === "light" || saved === "dark") root.dataset.theme = saved;
  root.classList.add("js");

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    if (!button) return;
    const dark = () =>
      root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const label = () => button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem("spidervet-theme", root.dataset.theme);
      } catch {
        // It then holds for this page only.
      }
      label();
    });
  });
})();
