// Keeps a page up to date. One event stream a tab while it can be seen; where streams are many or fail, it asks
// again every few seconds. The server draws everything: an event only says that there is something new.
"use strict";
(function () {
  const root = document.getElementById("live");
  if (!root || root.dataset.live === "off") return;
  const STREAMS = 3; // A browser opens six connections to a server; tabs share three streams and leave three free.
  const every = Number(root.dataset.every) * 1000;
  const fragment = root.dataset.fragment || location.href;
  const tab = Math.random().toString(36).slice(2);
  let source = null;
  let lastId = null;
  let slot = null;
  let timer = null;
  let asking = false;
  let again = false;
  let lastAsked = 0;
  let ended = false;
  const drawn = new Map(); // What each part was drawn from, by its name.
  for (const part of root.querySelectorAll("[data-part]")) drawn.set(part.dataset.part, part.innerHTML);

  function mark(how) {
    for (const node of document.querySelectorAll("[data-live-mark]")) {
      node.dataset.how = ended ? "off" : how;
      const time = new Date().toLocaleTimeString([], { hour12: false });
      node.textContent = ended ? `final, ${time}` : how === "lost" ? `no answer since ${node.dataset.at || "loading"}, trying again` : `updated ${time}`;
      if (how !== "lost") node.dataset.at = time;
    }
  }

  // Asks for the page's changing parts, at most once a second and never twice at once.
  async function refresh() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    const wait = 1000 - (Date.now() - lastAsked);
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    lastAsked = Date.now();
    try {
      const answer = await fetch(fragment, { headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(10000) });
      if (answer.redirected && new URL(answer.url).pathname.startsWith("/login")) return location.reload();
      if (answer.status === 404) return location.reload();
      if (!answer.ok) throw new Error(answer.statusText);
      swap(await answer.text());
      mark(source ? "stream" : "poll");
    } catch {
      mark("lost");
    } finally {
      asking = false;
      if (again && !ended) {
        again = false;
        refresh();
      }
    }
  }

  // Puts in the parts that changed. Answers that are older than what is shown are dropped, so nothing runs back.
  function swap(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const head = fresh.querySelector('[data-part="head"]');
    const shown = root.querySelector('[data-part="head"]');
    if (head && shown && Number(head.dataset.revision) < Number(shown.dataset.revision)) return;
    const parts = [...fresh.querySelectorAll("[data-part]")];
    const known = new Map([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    if (parts.length !== known.size || parts.some((part) => !known.has(part.dataset.part))) {
      const container = fresh.getElementById("live") || fresh.body;
      for (const part of parts) drawn.set(part.dataset.part, part.innerHTML);
      const charts = root.querySelector("details.charts");
      if (charts) for (const node of container.querySelectorAll("details.charts")) node.open = charts.open;
      root.replaceChildren(...container.childNodes);
    } else {
      for (const part of parts) {
        const old = known.get(part.dataset.part);
        if (part.innerHTML !== drawn.get(part.dataset.part)) replace(old, part);
      }
    }
    if (head && head.dataset.final === "1") {
      ended = true;
      stop();
    }
  }
  function replace(old, part) {
    const focused = old.contains(document.activeElement) ? path(old, document.activeElement) : null;
    const scrolled = [...old.querySelectorAll(".table-wrap")].map((node) => node.scrollLeft);
    const unfolded = [...old.querySelectorAll("details")].map((node) => node.open);
    old.innerHTML = part.innerHTML;
    drawn.set(part.dataset.part, part.innerHTML);
    Object.assign(old.dataset, part.dataset);
    old.querySelectorAll(".table-wrap").forEach((node, i) => (node.scrollLeft = scrolled[i] || 0));
    old.querySelectorAll("details").forEach((node, i) => (node.open = unfolded[i] ?? node.open));
    if (focused) follow(old, focused)?.focus({ preventScroll: true });
  }
  function path(top, node) {
    const steps = [];
    for (; node !== top; node = node.parentElement) steps.unshift([...node.parentElement.children].indexOf(node));
    return steps;
  }
  const follow = (top, steps) => steps.reduce((node, step) => node?.children[step], top);

  // A few places for streams, shared by all tabs of this browser through its storage; a place not renewed is free.
  function claim() {
    try {
      for (let i = 0; i < STREAMS; i++) {
        const key = `spidervet-stream-${i}`;
        const [holder, until] = (localStorage.getItem(key) || "|0").split("|");
        if (holder === tab || Number(until) < Date.now()) {
          localStorage.setItem(key, `${tab}|${Date.now() + 6000}`);
          return key;
        }
      }
      return null;
    } catch {
      return null;
    }
  }
  const holds = () => slot && (localStorage.getItem(slot) || "").startsWith(tab + "|");
  function release() {
    if (holds()) localStorage.removeItem(slot);
    slot = null;
  }

  async function start() {
    if (ended || document.hidden || timer) return;
    timer = setInterval(tick, every);
    if (root.dataset.live === "stream" && window.EventSource) {
      slot = claim();
      await new Promise((done) => setTimeout(done, 60 + 120 * Math.random()));
      if (!timer) return; // Hidden again meanwhile.
      if (holds()) open();
      else slot = null;
    }
    refresh();
  }
  function open() {
    // A page that was hidden resumes where it was: the id goes along as EventSource itself would send it.
    const url = new URL(root.dataset.events, location.href);
    if (lastId) url.searchParams.set("resume", lastId);
    source = new EventSource(url);
    for (const kind of ["progress", "arm", "state", "log"]) {
      source.addEventListener(kind, (event) => {
        lastId = event.lastEventId || lastId;
        refresh();
      });
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return; // It tries again by itself.
      source = null;
      release();
    };
  }
  function tick() {
    if (source) {
      if (holds()) localStorage.setItem(slot, `${tab}|${Date.now() + 6000}`);
      if (source.readyState === EventSource.OPEN && Date.now() - lastAsked < 10000) return;
    }
    refresh();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    source?.close();
    source = null;
    release();
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => event.persisted && start());
  start();
})();
