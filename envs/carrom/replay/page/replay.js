"use strict";
(() => {
  // Names and sentences are only ever set as text: nothing that players are called is markup.
  const data = JSON.parse(document.getElementById("data").textContent);
  const strokes = data.strokes;
  const find = (id) => document.getElementById(id);
  const root = document.documentElement;
  const canvas = find("discs");
  const pen = canvas.getContext("2d");
  const STRIKER = 19, PAUSE_MS = 700, READING_MS = 1800, STEP_MS = 50;
  const SPEEDS = Array.from(find("speed").options, (option) => Number(option.value));
  const state = { stroke: 0, ms: 0, playing: false, speed: 1, last: null };
  const colours = (index) => data.discs[index < 9 ? 0 : index < 18 ? 1 : index === 18 ? 2 : 3];
  const atEnd = () => state.stroke >= strokes.length;
  const lasts = (stroke) => stroke.ms || 0;

  // Corners come as differences: sum them up once.
  for (const stroke of strokes) {
    for (const path of Object.values(stroke.paths || {})) {
      for (let i = 3; i < path.length; i += 1) path[i] += path[i - 3];
    }
  }

  function element(tag, text, name) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  // ---- where discs are ------------------------------------------------------------------

  function along(path, ms) {
    const count = path.length / 3;
    if (ms <= path[0]) return [path[1], path[2]];
    let low = 0, high = count - 1;
    if (ms >= path[3 * high]) return [path[3 * high + 1], path[3 * high + 2]];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (path[3 * middle] <= ms) low = middle; else high = middle;
    }
    const a = 3 * low, b = 3 * high;
    const share = (ms - path[a]) / (path[b] - path[a] || 1);
    return [
      path[a + 1] + share * (path[b + 1] - path[a + 1]),
      path[a + 2] + share * (path[b + 2] - path[a + 2]),
    ];
  }

  function discsNow() {
    if (atEnd()) return standing(data.end);
    const stroke = strokes[state.stroke];
    const discs = standing(stroke.at);
    if (stroke.from) discs.set(STRIKER, stroke.from);
    for (const [index, path] of Object.entries(stroke.paths || {})) {
      discs.set(Number(index), along(path, state.ms));
    }
    for (const [index, , ms] of stroke.falls || []) {
      if (state.ms >= ms) discs.delete(index);
    }
    return discs;
  }

  function standing(flat) {
    const discs = new Map();
    for (let i = 0; 2 * i < flat.length; i += 1) {
      if (flat[2 * i] !== null) discs.set(i, [flat[2 * i], flat[2 * i + 1]]);
    }
    return discs;
  }

  // ---- drawing --------------------------------------------------------------------------

  function draw() {
    const size = canvas.clientWidth, dense = window.devicePixelRatio || 1;
    const pixels = Math.max(1, Math.round(size * dense));
    if (canvas.width !== pixels || canvas.height !== pixels) {
      canvas.width = pixels;
      canvas.height = pixels;
    }
    const scale = pixels / (2 * data.half);
    pen.setTransform(scale, 0, 0, -scale, pixels / 2, pixels / 2);
    pen.clearRect(-data.half, -data.half, 2 * data.half, 2 * data.half);
    drawSeats();
    if (!atEnd()) drawTrails(strokes[state.stroke]);
    for (const [index, place] of discsNow()) {
      const [face, groove] = colours(index);
      const radius = data.radii[index === STRIKER ? 1 : 0];
      const x = place[0] * data.unit, y = place[1] * data.unit;
      circle(x, y, radius - 0.0006, face, "#1c1614", 0.0012);
      circle(x, y, radius * 0.6, null, groove, 0.0012);
    }
    if (!atEnd()) drawFalls(strokes[state.stroke]);
  }

  function circle(x, y, radius, fill, edge, width) {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (edge) { pen.strokeStyle = edge; pen.lineWidth = width; pen.stroke(); }
  }

  function drawTrails(stroke) {
    for (const [key, path] of Object.entries(stroke.paths || {})) {
      pen.beginPath();
      pen.moveTo(path[1] * data.unit, path[2] * data.unit);
      for (let i = 3; i < path.length && path[i] < state.ms; i += 3) {
        pen.lineTo(path[i + 1] * data.unit, path[i + 2] * data.unit);
      }
      const [x, y] = along(path, state.ms);
      pen.lineTo(x * data.unit, y * data.unit);
      pen.globalAlpha = 0.55;
      pen.lineJoin = "round";
      pen.strokeStyle = colours(Number(key))[0];
      pen.lineWidth = 0.002;
      pen.stroke();
      pen.globalAlpha = 1;
    }
    if (stroke.from && state.ms === 0) {
      const speed = Math.hypot(...stroke.velocity) || 1;
      const [x, y] = stroke.from.map((value) => value * data.unit);
      const [u, v] = stroke.velocity.map((value) => value / speed);
      const reach = data.radii[1] + 0.03 + 0.02 * speed;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + u * reach, y + v * reach);
      pen.strokeStyle = "#1052be";
      pen.lineWidth = 0.004;
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x + u * (reach + 0.014), y + v * (reach + 0.014));
      pen.lineTo(x + u * reach - v * 0.007, y + v * reach + u * 0.007);
      pen.lineTo(x + u * reach + v * 0.007, y + v * reach - u * 0.007);
      pen.fillStyle = "#1052be";
      pen.fill();
    }
  }

  function upright(text, x, y, size, colour, angle) {
    pen.save();
    pen.translate(x, y);
    pen.rotate(angle || 0);
    pen.scale(size / 20, -size / 20);
    pen.font = "600 20px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = colour;
    pen.fillText(text, 0, 0, (20 / size) * 1.4 * data.half);
    pen.restore();
  }

  function drawFalls(stroke) {
    const seen = [0, 0, 0, 0];
    (stroke.falls || []).forEach(([index, pocket, ms], number) => {
      if (state.ms < ms) return;
      const [px, py] = data.pockets[pocket];
      const x = px + Math.sign(px) * 0.035 - Math.sign(px) * 0.026 * seen[pocket];
      const y = py + Math.sign(py) * 0.035;
      seen[pocket] += 1;
      const [face, groove] = colours(index);
      circle(x, y, 0.0125, face, groove, 0.0015);
      const dark = index < 9;
      upright(String(number + 1), x, y, 0.015, dark ? "#1c1614" : "#fff");
    });
  }

  function drawSeats() {
    const stroke = strokes[Math.min(state.stroke, strokes.length - 1)];
    const out = data.half - 0.42 * data.frame;
    for (const [seat, name] of Object.entries(data.players)) {
      const side = (Number(seat) + stroke.rotation) % 4;
      const turn = !atEnd() && Number(seat) === stroke.seat;
      const angle = side * Math.PI / 2;
      const x = out * Math.sin(angle), y = -out * Math.cos(angle);
      // Nobody has to read upside down.
      const tilt = side === 2 ? 0 : angle;
      upright(name, x, y, 0.026, turn ? "#ffe08a" : "#d9c3ae", tilt);
    }
  }

  // ---- words ----------------------------------------------------------------------------

  function atRest() {
    return atEnd() || state.ms >= lasts(strokes[state.stroke]);
  }

  function tell() {
    const index = Math.min(state.stroke, strokes.length - 1), stroke = strokes[index];
    const rested = atRest();
    showScore(rested ? stroke.after : stroke.before, atEnd() ? null : stroke);
    find("status").textContent = atEnd()
      ? `The end, after ${strokes.length} strokes and incidents`
      : `Stroke ${index + 1} of ${strokes.length}`;
    find("ruling").classList.toggle("pending", !rested);
    find("who").textContent = `${data.players[stroke.seat]} (${stroke.black ? "black" : "white"})`;
    find("what").textContent = [stroke.what, ...stroke.laid].join("; ");
    find("so").textContent = stroke.so;
    const laws = stroke.laws.map((law) => {
      const item = element("li");
      item.append(element("b", law), element("span", data.laws[law]));
      return item;
    });
    find("laws").replaceChildren(...laws);
    find("scrub").value = String(state.stroke);
    find("scrub").setAttribute("aria-valuetext", find("status").textContent);
    for (const button of find("list").querySelectorAll("[aria-current]")) {
      button.removeAttribute("aria-current");
    }
    const button = find("list").children[index].firstChild;
    button.setAttribute("aria-current", "true");
    // Only the list scrolls, never the page under somebody's thumb.
    const list = find("list"), row = button.parentNode;
    const top = row.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
    told = [state.stroke, rested];
  }

  function showScore(score, stroke) {
    const rows = data.sides.map((name, side) => {
      const colour = side === score.white ? 0 : 1;
      const row = element("tr");
      const turn = stroke && (stroke.black ? 1 : 0) === colour;
      if (turn) row.className = "turn";
      const head = element("th");
      head.append(element("span", undefined, colour ? "chip black" : "chip"), name);
      const owed = score.owed[colour] ? `, owes ${score.owed[colour]}` : "";
      const games = data.task === "match" ? `games ${score.games[side]}, ` : "";
      row.append(head, element("td", `${games}${score.left[colour]} left${owed}`, "left"));
      row.append(element("td", String(score.score[side]), "points"));
      return row;
    });
    const where = element("tr");
    const cell = element("td", "", "left");
    cell.colSpan = 3;
    cell.style.textAlign = "left";
    cell.style.paddingLeft = "0";
    cell.textContent = `Game ${score.game}, board ${score.board}; queen ${score.queen}`;
    where.append(cell);
    find("score").tBodies[0].replaceChildren(...rows, where);
  }

  // ---- time -----------------------------------------------------------------------------

  let told = [-1, false];

  function show() {
    draw();
    if (told[0] !== state.stroke || told[1] !== atRest()) tell();
  }

  function goTo(stroke, ms) {
    state.stroke = Math.max(0, Math.min(strokes.length, stroke));
    state.ms = atEnd() ? 0 : Math.max(0, Math.min(ms || 0, lasts(strokes[state.stroke])));
    if (atEnd()) play(false);
    show();
  }

  function play(on) {
    if (on && atEnd()) { state.stroke = 0; state.ms = 0; }
    state.playing = on;
    state.last = null;
    document.body.classList.toggle("playing", on);
    find("play").setAttribute("aria-label", on ? "Pause" : "Play");
    if (on) requestAnimationFrame(frame);
    show();
  }

  function frame(now) {
    if (!state.playing) return;
    // A hidden page gets no frames: what has passed meanwhile is not caught up.
    const passed = state.last === null ? 0 : Math.min(now - state.last, 100);
    state.last = now;
    state.ms += passed * state.speed;
    const stroke = strokes[state.stroke];
    const wait = stroke.ms ? PAUSE_MS : READING_MS;
    if (state.ms >= lasts(stroke) + wait) {
      state.stroke += 1;
      state.ms = 0;
      if (atEnd()) { play(false); return; }
    }
    show();
    requestAnimationFrame(frame);
  }

  function setSpeed(speed) {
    state.speed = speed;
    find("speed").value = String(speed);
  }

  function changeSpeed(by) {
    const index = SPEEDS.indexOf(state.speed) + by;
    if (index >= 0 && index < SPEEDS.length) setSpeed(SPEEDS[index]);
  }

  function setTheme(theme) {
    root.dataset.theme = theme;
    show();
  }

  // ---- hands ----------------------------------------------------------------------------

  const next = () => goTo(state.stroke + 1);
  // The first press goes back to the start of a stroke that is under way.
  const previous = () => goTo(state.ms > 0 ? state.stroke : state.stroke - 1);
  const otherTheme = () => setTheme(root.dataset.theme === "dark" ? "light" : "dark");
  const keys = {
    " ": () => play(!state.playing),
    k: () => play(!state.playing),
    ArrowRight: next,
    ArrowLeft: previous,
    Home: () => goTo(0),
    End: () => goTo(strokes.length),
    ".": () => { play(false); goTo(state.stroke, state.ms + STEP_MS); },
    ",": () => { play(false); goTo(state.stroke, state.ms - STEP_MS); },
    "+": () => changeSpeed(1),
    "=": () => changeSpeed(1),
    "-": () => changeSpeed(-1),
    t: otherTheme,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A menu and a button know themselves what their keys do.
    if (event.target.tagName === "SELECT") return;
    if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  find("play").addEventListener("click", () => play(!state.playing));
  find("first").addEventListener("click", () => goTo(0));
  find("previous").addEventListener("click", previous);
  find("next").addEventListener("click", next);
  find("last").addEventListener("click", () => goTo(strokes.length));
  find("theme").addEventListener("click", otherTheme);
  find("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  find("scrub").addEventListener("input", (event) => goTo(Number(event.target.value)));

  let touched = null;
  canvas.addEventListener("pointerdown", (event) => { touched = event.clientX; });
  canvas.addEventListener("pointerup", (event) => {
    if (touched === null) return;
    const way = event.clientX - touched;
    touched = null;
    if (Math.abs(way) < 12) play(!state.playing);
    else if (Math.abs(way) > 40) (way < 0 ? next : previous)();
  });
  canvas.addEventListener("pointercancel", () => { touched = null; });

  find("scrub").max = String(strokes.length);
  strokes.forEach((stroke, index) => {
    const button = element("button", `${index + 1}  ${data.players[stroke.seat]}: ${stroke.what}`);
    button.type = "button";
    button.addEventListener("click", () => goTo(index));
    const item = element("li");
    item.append(button);
    find("list").append(item);
  });
  new ResizeObserver(draw).observe(canvas);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
})();
