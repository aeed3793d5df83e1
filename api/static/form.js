// Tells a job's cost while it is being put together.
"use strict";
(function () {
  const form = document.getElementById("job-form");
  const box = document.getElementById("estimate");
  document.getElementById("estimate-button").hidden = true;
  let timer = null;
  let newest = 0;
  async function tell() {
    const mine = ++newest;
    try {
      const answer = await fetch("/jobs/estimate", { method: "POST", body: new FormData(form) });
      const html = answer.ok ? await answer.text() : null;
      if (html !== null && mine === newest) box.innerHTML = html;
    } catch {
      // The server does not answer just now; sending the form will say so.
    }
  }
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(tell, 400);
  });
  tell();
})();
