// Steps through the games of a deal page. The server drew the first view and laid out what every move changes;
// this only shows it. No rules live here.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("games").textContent);
  const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };
  const WORDS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
  const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
  const rank = (card) => (card[0] === "T" ? "10" : card[0]);
  const cardsOf = (letters) => letters.match(/../g) || [];
  const say = (card) => `${RANKS[card[0]] || card[0]} of ${WORDS[card[1]]}`;

  const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

  let games = data.games.map(unfold);
  let full = data.full; // Whether the page has the face-down cards and the stock; else each is "??".
  const length = Math.max(...games.map((game) => game.frames.length - 1));
  let move = data.move;
  let hidden = data.hidden;
  let timer = null;

  for (const part of document.querySelectorAll("[data-needs-js]")) part.hidden = false;

  // Every frame in full: columns as lists of cards, shared with the frame before where nothing changed.
  function unfold(game) {
    let columns = game.columns.map(cardsOf);
    let down = game.down;
    const stock = game.stock ? cardsOf(game.stock) : [];
    const frames = game.frames.map((f) => {
      columns = columns.slice();
      down = down.slice();
      for (const [i, [letters, count]] of Object.entries(f.c)) {
        columns[i] = cardsOf(letters);
        down[i] = count;
      }
      return { move: f.m, did: f.d, score: f.s, status: f.w, columns, down, off: f.o, stock: stock.slice(stock.length - f.k), touched: new Map(f.h) };
    });
    return { by: game.by, sequences: game.sequences, frames };
  }

  function element(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function cardNode(card, isDown, isTouched) {
    if (isDown && !hidden) return element("li", "card down");
    const red = card[1] === "H" || card[1] === "D";
    const node = element("li", "card" + (red ? " red" : "") + (isDown ? " down shown" : "") + (isTouched ? " touched" : ""), rank(card));
    node.append(element("i", "", SIGNS[card[1]]));
    return node;
  }

  function show(number) {
    move = Math.max(0, Math.min(number, length));
    games.forEach((game, n) => drawGame(game, n, game.frames[Math.min(move, game.frames.length - 1)]));
    const where = document.querySelector("[data-where]");
    if (where) where.textContent = move;
    const seek = document.querySelector("[data-seek]");
    if (seek) seek.value = move;
    const jump = document.getElementById("jump");
    if (jump && document.activeElement !== jump) jump.value = move;
    remember();
  }

  function drawGame(game, n, frame) {
    const board = document.querySelector(`[data-board="${n}"]`);
    const part = (name) => board.querySelector(`[data-part="${name}"]`);
    const set = (name, text) => {
      const node = part(name);
      if (node) node.textContent = text;
    };
    set("number", Math.min(move, game.frames.length - 1));
    set("score", frame.score);
    set("status", frame.status);
    set("down", frame.down.reduce((a, b) => a + b, 0));
    const columns = part("columns");
    columns.setAttribute("aria-label", `The cards after move ${Math.min(move, game.frames.length - 1)}; the section “The table as text” has them in words.`);
    columns.querySelectorAll(".cards").forEach((list, i) => {
      const touched = frame.touched.get(i) || 0;
      const cards = frame.columns[i];
      list.replaceChildren(...cards.map((card, at) => cardNode(card, at < frame.down[i], at >= cards.length - touched)));
    });
    const dealsLeft = Math.ceil(frame.stock.length / frame.columns.length);
    set("stock", frame.stock.length ? `Stock ${counted(frame.stock.length, "card")}, ${counted(dealsLeft, "deal")} left` : "Stock empty");
    set("off", `Sequences off ${frame.off.length} of ${game.sequences}` + (frame.off ? " " + [...frame.off].map((s) => SIGNS[s]).join("") : ""));
    const stock = part("stock-cards");
    stock.hidden = !hidden || !frame.stock.length;
    stock.textContent = !hidden ? "" : "Stock, in deal order: " + frame.stock.map((card) => rank(card) + SIGNS[card[1]]).join(" ");
    const did = document.querySelector(`[data-did="${n}"] [data-part="did"]`);
    if (did) did.textContent = frame.did;
    drawText(n, frame);
    markMove(n, Math.min(move, game.frames.length - 1));
  }

  function drawText(n, frame) {
    const list = document.querySelector(`[data-text="${n}"]`);
    const lines = frame.columns.map((cards, i) => {
      const parts = hidden
        ? cards.map((card, at) => say(card) + (at < frame.down[i] ? " (face down)" : ""))
        : [...(frame.down[i] ? [`${frame.down[i]} face down`] : []), ...cards.slice(frame.down[i]).map(say)];
      return `Column ${i + 1}: ${parts.join(", ") || "empty"}`;
    });
    list.replaceChildren(...lines.map((line) => element("li", "", line)));
  }

  function markMove(n, number) {
    const list = document.querySelector(`[data-moves="${n}"]`);
    if (!list) return;
    const old = list.querySelector("[aria-current]");
    if (old) old.removeAttribute("aria-current");
    const now = list.querySelector(`[data-move="${number}"]`);
    now.setAttribute("aria-current", "step");
    const at = now.offsetTop - list.offsetTop;
    if (at < list.scrollTop || at > list.scrollTop + list.clientHeight - 40) list.scrollTop = at - list.clientHeight / 2;
  }

  // The address follows, so that a copied link opens this very view. Not on pages that answer a form.
  function remember() {
    if (!data.url || timer) return;
    const url = new URL(data.url, location.href);
    if (move) url.searchParams.set("move", move);
    if (hidden) url.searchParams.set("hidden", "1");
    history.replaceState(null, "", url);
  }

  const play = document.querySelector('[data-go="play"]');
  const speed = document.querySelector("[data-speed]");
  function stop() {
    clearInterval(timer);
    timer = null;
    if (play) play.textContent = "Play";
    remember();
  }
  function start() {
    if (!play) return;
    if (move >= length) show(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      if (move >= length) return stop();
      show(move + 1);
    }, 1000 / Number(speed.value));
  }
  const steps = { first: () => 0, prev: () => move - 1, next: () => move + 1, last: () => length };
  function go(what) {
    if (what === "play") return timer ? stop() : start();
    if (timer) stop();
    show(steps[what]());
  }
  // Face-down cards come with the page that shows them; it is asked for when they are first wanted.
  async function complete() {
    const url = new URL(data.url, location.href);
    url.searchParams.set("hidden", "1");
    if (move) url.searchParams.set("move", move);
    try {
      const answer = await fetch(url, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      games = JSON.parse(page.getElementById("games").textContent).games.map(unfold);
      full = true;
    } catch {
      location.href = url; // The server then says what is wrong.
    }
  }
  let turning = false;
  async function turn() {
    if (turning) return;
    if (!full) {
      turning = true;
      await complete();
      turning = false;
      if (!full) return;
    }
    hidden = !hidden;
    const button = document.querySelector("[data-hidden-toggle]");
    button.textContent = (hidden ? "Hide" : "Show") + " face-down cards";
    button.setAttribute("aria-pressed", String(hidden));
    show(move);
  }

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const button = event.target.closest("[data-go], [data-hidden-toggle], [data-moves] [data-move]");
    if (!button) return;
    event.preventDefault();
    if (button.dataset.go) go(button.dataset.go);
    else if (button.dataset.move) {
      if (timer) stop();
      show(Number(button.dataset.move));
    } else turn();
  });
  const seek = document.querySelector("[data-seek]");
  if (seek) seek.addEventListener("input", () => {
    if (timer) stop();
    show(Number(seek.value));
  });
  if (speed) speed.addEventListener("change", () => {
    if (timer) {
      clearInterval(timer);
      start();
    }
  });
  const jump = document.querySelector("[data-jump]");
  if (jump) jump.addEventListener("submit", (event) => {
    event.preventDefault();
    show(Number(jump.elements.move.value));
  });
  games.forEach((game, n) => markMove(n, Math.min(move, game.frames.length - 1)));

  // Keys belong to what has the focus first: text fields and lists take all, the slider takes its arrows, and a
  // control that space sets off keeps its space. A link does nothing on space: there it plays, as elsewhere.
  const keys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last", " ": "play" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === " ")) return;
    const at = event.target;
    if (at.closest("input:not([type=range]), textarea, select")) return;
    if (event.key === "h" || event.key === "H") return turn();
    if (event.key === " " && at.closest("[data-hidden-toggle]")) {
      event.preventDefault();
      return event.repeat ? undefined : turn();
    }
    if (!keys[event.key] || !length) return;
    if (event.key === " " ? at.closest("button, summary") : at.closest("input")) return;
    event.preventDefault();
    if (event.key !== " " || !event.repeat) go(keys[event.key]);
  });
})();
