(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("discs");
  const board = carromBoard(canvas, data), sheet = carromSheet(data);
  const { find } = sheet;
  const strokes = data.strokes.map(board.unpack);
  const PAUSE_MS = 700, READING_MS = 1800, STEP_MS = 50;
  const SPEEDS = Array.from(find("speed").options, (option) => Number(option.value));
  const state = { stroke: 0, ms: 0, playing: false, speed: 1, last: null };
  const atEnd = () => state.stroke >= strokes.length;

  // ---- what is seen ---------------------------------------------------------------------

  function draw() {
    const last = strokes[Math.min(state.stroke, strokes.length - 1)];
    board.begin(0);
    board.seats(data.players, last.rotation, atEnd() ? null : last.seat);
    if (atEnd()) {
      board.discs(board.standing(data.end));
      return;
    }
    board.trails(last, state.ms);
    board.discs(board.during(last, state.ms));
    board.falls(last, state.ms);
  }

  function atRest() {
    return atEnd() || state.ms >= board.lasts(strokes[state.stroke]);
  }

  function tell() {
    const index = Math.min(state.stroke, strokes.length - 1), stroke = strokes[index];
    const rested = atRest();
    sheet.showScore(rested ? stroke.after : stroke.before, atEnd() ? null : Number(stroke.black));
    find("status").textContent = atEnd()
      ? `The end, after ${strokes.length} strokes and incidents`
      : `Stroke ${index + 1} of ${strokes.length}`;
    find("ruling").classList.toggle("pending", !rested);
    sheet.showRuling(stroke);
    find("scrub").value = String(state.stroke);
    find("scrub").setAttribute("aria-valuetext", find("status").textContent);
    sheet.mark(index);
    told = [state.stroke, rested];
  }

  // ---- time -----------------------------------------------------------------------------

  let told = [-1, false];

  function show() {
    draw();
    if (told[0] !== state.stroke || told[1] !== atRest()) tell();
  }

  function goTo(stroke, ms) {
    state.stroke = Math.max(0, Math.min(strokes.length, stroke));
    state.ms = atEnd() ? 0 : Math.max(0, Math.min(ms || 0, board.lasts(strokes[state.stroke])));
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
    if (state.ms >= board.lasts(stroke) + wait) {
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

  // ---- hands ----------------------------------------------------------------------------

  const next = () => goTo(state.stroke + 1);
  // The first press goes back to the start of a stroke that is under way.
  const previous = () => goTo(state.ms > 0 ? state.stroke : state.stroke - 1);
  find("scrub").max = String(strokes.length);
  find("list").append(...strokes.map((stroke, index) =>
    sheet.row(stroke, index, () => goTo(index))));
  const otherTheme = carromTheme(show);
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

  new ResizeObserver(draw).observe(canvas);
})();
