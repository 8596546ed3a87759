"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("discs");
  const board = carromBoard(canvas, data), sheet = carromSheet(data);
  const { element, find } = sheet;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const READING_MS = 600, BETWEEN_MS = 200, GONE = 4404, SLOWEST_RETRY_MS = 8000;
  const watching = data.people.length === 0;
  const strokes = [];
  // What the server said last, how many strokes have been shown, and the one that is being shown.
  let now = null, shown = 0, playing = null, analysis = null, chosen = -1, sent = false;
  let running = watching, socket = null, retry_ms = 500, told_ms = -Infinity;
  const aim = carromAim(board, data, canvas, { changed, flick });

  // ---- what is seen ---------------------------------------------------------------------

  // The side at the bottom: of the person who plays, or who has the turn of two.
  function bottom(seat, rotation) {
    const people = data.people;
    const viewer = people.length > 1 && people.includes(seat) ? seat : people[0] || 0;
    return (viewer + rotation) % 4;
  }

  function draw() {
    if (!now) return;
    if (playing) {
      const { stroke, ms } = playing;
      board.begin(bottom(stroke.seat, stroke.rotation));
      board.seats(data.players, stroke.rotation, stroke.seat);
      board.trails(stroke, ms);
      board.discs(board.during(stroke, ms));
      board.falls(stroke, ms);
      return;
    }
    const last = strokes[shown - 1];
    const settled = shown === now.number;
    const rotation = settled ? now.rotation : last ? last.rotation : 0;
    board.begin(bottom(settled ? now.seat : null, rotation));
    board.seats(data.players, rotation, settled ? now.seat : null);
    if (settled && analysis) drawAnalysis();
    board.discs(board.standing(settled || !last ? now.at : strokes[shown].at));
    aim.draw();
  }

  function drawAnalysis() {
    const candidate = analysis.candidates[chosen];
    if (candidate) board.trails({ paths: candidate.paths }, Infinity);
  }

  function changed() {
    const { place, direction, speed } = aim.strike;
    const side = (value, text) => (Math.abs(value) < 5e-4 ? "" : value > 0 ? " right" : ` ${text}`);
    const degrees = -direction * 180 / Math.PI;
    find("place").value = String(100 * place);
    find("direction").value = String(degrees);
    find("speed").value = String(speed);
    find("place_shown").textContent = `${Math.abs(100 * place).toFixed(1)} cm${side(place, "left")}`;
    find("direction_shown").textContent = `${Math.abs(degrees).toFixed(1)}°${side(degrees, "left")}`;
    find("speed_shown").textContent = `${speed.toFixed(2)} m/s`;
    const free = aim.isFree(place), mine = isMine();
    find("aim").classList.toggle("illegal", mine && !free);
    find("strike").disabled = !(mine && free);
    draw();
  }

  const isMine = () => now !== null && now.person && !now.busy && !sent && !playing
    && shown === now.number;

  function status() {
    if (!now) return "Connecting …";
    if (playing || shown < now.number) return `Stroke ${Math.min(shown + 1, now.number)}`;
    if (now.over) return `The end: ${now.end}`;
    const name = data.players[now.seat], colour = now.black ? "black" : "white";
    if (now.busy || sent) return data.people.includes(now.seat) ? "…" : `${name} is thinking …`;
    const what = now.break ? "to break" : "to strike";
    const queen = now.queen_allowed && now.score.queen === "on the board" ? "; may take the queen" : "";
    const cover = now.score.queen === "to be covered" ? "; the queen has to be covered" : "";
    return `${name} ${what} (${colour}${queen}${cover})`;
  }

  function tell() {
    const stroke = playing ? playing.stroke : strokes[shown - 1];
    const done = !playing || playing.ms >= board.lasts(stroke);
    const settled = now && !playing && shown === now.number;
    if (settled) sheet.showScore(now.score, now.seat === null ? null : Number(now.black));
    else if (stroke) sheet.showScore(done ? stroke.after : stroke.before, stroke.black);
    if (stroke) sheet.showRuling(stroke);
    find("ruling").classList.toggle("pending", !done);
    find("status").textContent = status();
    document.body.classList.toggle("playing", running);
    document.body.classList.toggle("watching", watching);
    for (const name of ["aim", "strike"]) find(name).hidden = watching;
    find("go").hidden = !watching;
    find("how").hidden = watching || strokes.length > 0;
    find("skip").disabled = !playing;
    find("analyse").disabled = !(settled && !now.over && !now.busy);
    find("downloads").hidden = !(settled && strokes.length && !now.busy);
    sheet.mark(playing ? strokes.indexOf(playing.stroke) : shown - 1);
    find("analysis").hidden = !(settled && analysis);
  }

  function refresh() {
    if (isMine()) {
      const side = (now.seat + now.rotation) % 4;
      aim.ask({ side, free: now.free, forward: now.forward, discs: board.standing(now.at) });
    } else aim.ask(null);
    tell();
  }

  function complain(text) {
    find("error").textContent = text;
  }

  // ---- strokes, one after the other -----------------------------------------------------

  function goOn() {
    if (playing || !now) return;
    if (shown < now.number) { show(strokes[shown]); return; }
    if (analysis && analysis.number !== now.number) analysis = null;
    refresh();
    if (watching && running && !now.over && !now.busy && !sent) {
      // Without motion nothing else holds players up who need no time to think.
      const wait = told_ms + BETWEEN_MS - performance.now();
      if (wait > 0) { window.setTimeout(goOn, wait); return; }
      told_ms = performance.now();
      sent = send({ type: "go", number: now.number });
      tell();
    }
  }

  function show(stroke) {
    playing = { stroke, ms: 0, last: null };
    if (strokes[shown] === stroke) complain("");
    refresh();
    requestAnimationFrame(frame);
  }

  function frame(time) {
    if (!playing) return;
    const { stroke } = playing;
    // A hidden page gets no frames: what has passed meanwhile is not caught up.
    const passed = playing.last === null ? 0 : Math.min(time - playing.last, 100);
    playing.last = time;
    const before = playing.ms;
    playing.ms += passed * Number(find("pace").value);
    if (still.matches) playing.ms = Infinity;
    if (before < board.lasts(stroke) && playing.ms >= board.lasts(stroke)) tell();
    draw();
    if (playing.ms < board.lasts(stroke) + READING_MS) { requestAnimationFrame(frame); return; }
    if (strokes[shown] === stroke) shown += 1;
    playing = null;
    goOn();
  }

  function skip() {
    if (playing) playing.ms = Infinity;
  }

  // ---- the server -----------------------------------------------------------------------

  function send(message) {
    if (!socket || socket.readyState !== WebSocket.OPEN) {
      complain("There is no connection: nothing was sent.");
      return false;
    }
    socket.send(JSON.stringify(message));
    return true;
  }

  function flick() {
    if (!isMine() || !aim.isFree(aim.strike.place)) return;
    complain("");
    sent = send({ type: "strike", number: now.number, ...aim.strike });
    refresh();
  }

  function analyse() {
    if (find("analyse").disabled) return;
    complain("");
    running = false;
    if (!send({ type: "analyse", number: now.number })) return;
    find("worth").textContent = "The planner is at work; its first search prepares for up to half a minute …";
    find("candidates").replaceChildren();
    analysis = { number: now.number, candidates: [] };
    tell();
  }

  const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

  // Where all rollouts came to the same, as without errors of the hand, there is none to show.
  const spread = (error) => (error < 0.005 ? "" : ` ± ${error.toFixed(2)}`);

  function showAnalysis(told) {
    if (!now || told.number !== now.number) return;
    analysis = told;
    told.candidates.forEach(board.unpack);
    const best = told.planned === null ? "" : `, ${points(told.planned)} by the planner's best stroke`;
    find("worth").textContent = `What this board comes to for ${data.players[now.seat]}, in points: `
      + `${points(told.learned)} by the network${best}.`;
    find("candidates").replaceChildren(...told.candidates.map((candidate, index) => {
      const button = element("button");
      button.type = "button";
      const error = candidate.points === null
        ? "as the planner breaks"
        : points(candidate.points) + spread(candidate.standard_error);
      button.append(element("span", `${index + 1}  ${candidate.what}`), element("span", error));
      button.title = `${candidate.rollouts} rollouts; points and their standard error`;
      button.addEventListener("click", () => choose(index));
      const item = element("li");
      item.append(button);
      return item;
    }));
    choose(0, false);
    tell();
  }

  // A candidate is drawn, and taken for the aim if it is pressed.
  function choose(index, takes = true) {
    chosen = index;
    Array.from(find("candidates").children).forEach((item, number) =>
      item.firstChild.setAttribute("aria-pressed", String(number === index)));
    const candidate = analysis.candidates[index];
    if (takes && candidate && isMine()) {
      const [place, direction, speed] = candidate.strike;
      aim.set({ place, direction, speed });
      // The next key is for the striker.
      canvas.focus({ preventScroll: true });
    }
    draw();
  }

  function take(message) {
    if (message.type === "error") {
      complain(`The server: ${message.error}`);
      sent = false;
      running = false;
      if (analysis && !analysis.candidates.length) analysis = null;
      refresh();
    } else if (message.type === "analysis") showAnalysis(message);
    else if (message.type === "table") {
      Object.assign(data.laws, message.laws);
      message.strokes.forEach((stroke, index) => {
        if (message.from + index !== strokes.length) return;
        strokes.push(board.unpack(stroke));
        const number = strokes.length - 1;
        find("list").append(sheet.row(stroke, number, () => again(number)));
      });
      const first = now === null;
      now = message.now;
      sent = false;
      // Whoever comes to a game under way sees it as it stands.
      if (first) shown = now.number;
      if (playing) tell(); else goOn();
    }
  }

  // A stroke of before, shown once more.
  function again(index) {
    if (!playing && now && shown === now.number) show(strokes[index]);
  }

  function connect() {
    const scheme = window.location.protocol === "https:" ? "wss" : "ws";
    const { host, pathname } = window.location;
    socket = new WebSocket(`${scheme}://${host}${pathname}/socket?from=${strokes.length}`);
    socket.addEventListener("open", () => { retry_ms = 500; complain(""); });
    socket.addEventListener("message", (event) => take(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      sent = false;
      if (event.code === GONE) {
        complain("This game is not open any more.");
        if (now) { now.person = false; now.busy = true; refresh(); }
        return;
      }
      complain("The connection is lost; trying again …");
      window.setTimeout(connect, retry_ms);
      retry_ms = Math.min(2 * retry_ms, SLOWEST_RETRY_MS);
    });
  }

  // ---- hands ----------------------------------------------------------------------------

  function run(on) {
    running = on;
    tell();
    goOn();
  }

  const fine = (event) => (event.shiftKey ? 0.1 : 1);
  const turn = (event, way) => aim.set({
    direction: aim.strike.direction + way * fine(event) * Math.PI / 360,
  });
  const slide = (event, way) => aim.set({ place: aim.strike.place + way * fine(event) * 0.001 });
  const otherTheme = carromTheme(draw);
  const keys = {
    ArrowLeft: (event) => turn(event, 1),
    ArrowRight: (event) => turn(event, -1),
    ArrowUp: (event) => aim.set({ speed: aim.strike.speed + 0.05 * fine(event) }),
    ArrowDown: (event) => aim.set({ speed: aim.strike.speed - 0.05 * fine(event) }),
    a: (event) => slide(event, -1),
    d: (event) => slide(event, 1),
    Enter: flick,
    Escape: aim.cancel,
    " ": () => { if (watching) run(!running); else skip(); },
    n: analyse,
    s: skip,
    t: otherTheme,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // What has its own use of a key keeps it.
    const { tagName } = event.target;
    if (tagName === "SELECT" || (tagName === "INPUT" && key.startsWith("Arrow"))) return;
    if ((tagName === "BUTTON" || tagName === "A") && (key === " " || key === "Enter")) return;
    if (!keys[key]) return;
    event.preventDefault();
    keys[key](event);
  });

  for (const [name, scale] of [["place", 0.01], ["direction", -Math.PI / 180], ["speed", 1]]) {
    find(name).addEventListener("input", (event) =>
      aim.set({ [name]: scale * Number(event.target.value) }));
  }
  find("strike").addEventListener("click", flick);
  find("go").addEventListener("click", () => run(!running));
  find("skip").addEventListener("click", skip);
  find("analyse").addEventListener("click", analyse);
  find("file").href = `${window.location.pathname}/replay.json.gz`;
  find("page").href = `${window.location.pathname}/replay.html`;
  new ResizeObserver(draw).observe(canvas);
  tell();
  connect();
})();
