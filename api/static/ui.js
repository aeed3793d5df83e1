// Small helps on every page: copy buttons, forms that are sent once, choices that show what belongs to them, files
// that are too large told before they are sent, and a way back that keeps what was typed.
"use strict";
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.dataset.copy === "location" ? location.href : button.dataset.copy;
  const done = await copied(text);
  const before = button.dataset.label || button.textContent;
  button.dataset.label = before;
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  setTimeout(() => (button.textContent = before), 1500);
});

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages that did not come over TLS have no clipboard: select the text in a field instead.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) {
    event.preventDefault();
    return;
  }
  if (form.method !== "post") return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  const button = event.submitter;
  if (button && button.dataset.busy) {
    button.setAttribute("aria-disabled", "true");
    button.textContent = button.dataset.busy;
  }
});
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

for (const group of document.querySelectorAll("[data-shows]")) {
  const update = () => {
    const chosen = group.querySelector("input:checked");
    for (const part of document.querySelectorAll(`[data-shown-by="${group.dataset.shows}"]`)) {
      part.hidden = !chosen || part.dataset.value !== chosen.value;
    }
  };
  group.addEventListener("change", update);
  update();
}

for (const field of document.querySelectorAll("input[type=file][data-most-bytes]")) {
  field.addEventListener("change", () => {
    const most = Number(field.dataset.mostBytes);
    const large = [...field.files].find((file) => file.size > most);
    const say = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    field.setCustomValidity(large ? `${large.name} has ${say(large.size)}; at most ${say(most)} are taken.` : "");
    field.reportValidity();
  });
}

for (const link of document.querySelectorAll("[data-back]")) {
  link.addEventListener("click", (event) => {
    if (history.length < 2 || !document.referrer) return;
    event.preventDefault();
    history.back();
  });
}
