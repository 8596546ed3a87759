"use strict";
// The striker in a person's hand: it is slid along the base line, pulled back and let go. All in
// the person's own frame (x to the right, y ahead), m; directions counter-clockwise, rad.
const carromAim = (board, data, canvas, { changed, flick }) => {
  const SLACK = 1e-6, DEAD = 0.012, REACH = 0.3, GRAB = 0.032, SNAP = 0.0025, GREEN = "#1f8f4e", RED = "#d42230";
  const BLUE = "#1052be";
  const [small, large] = data.radii;
  const { slowest, fastest } = data.limits;
  const strike = { place: 0, direction: 0, speed: 2 };
  // What is being asked: the side, where the striker may stand, what lies where; or null.
  let asked = null, gesture = null;

  const between = (value, low, high) => Math.max(low, Math.min(high, value));
  const isFree = (place) => asked !== null
    && asked.free.some(([low, high]) => place >= low - SLACK && place <= high + SLACK);
  const centre = () => [strike.place, data.line + asked.forward];

  // The free place nearest to one.
  function nearest(place) {
    const ends = asked.free.map(([low, high]) => between(place, low, high));
    return ends.reduce((a, b) => (Math.abs(b - place) < Math.abs(a - place) ? b : a));
  }

  function ask(question) {
    asked = question;
    gesture = null;
    document.body.classList.toggle("aiming", asked !== null);
    if (asked) strike.place = nearest(strike.place);
    changed();
  }

  function set(wish) {
    const end = asked ? Math.max(...asked.free.flat().map(Math.abs)) : 0.25;
    if (wish.place !== undefined) strike.place = between(wish.place, -end, end);
    if (wish.direction !== undefined) {
      strike.direction = Math.atan2(Math.sin(wish.direction), Math.cos(wish.direction));
    }
    if (wish.speed !== undefined) strike.speed = between(wish.speed, slowest, fastest);
    changed();
  }

  // ---- gestures -------------------------------------------------------------------------

  const own = (event) => board.turned(board.placeOf(event), -asked.side);

  function pull([x, y]) {
    const way = [gesture.from[0] - x, gesture.from[1] - y], length = Math.hypot(...way);
    gesture.pulled = length;
    if (length < DEAD) { changed(); return; }
    const share = between((length - DEAD) / (REACH - DEAD), 0, 1);
    set({ direction: Math.atan2(-way[0], way[1]), speed: slowest + share * (fastest - slowest) });
  }

  function down(event) {
    if (!asked || event.button !== 0) return;
    if (gesture) { cancel(); return; }
    const at = own(event), [x, y] = centre();
    const grabs = Math.hypot(at[0] - x, at[1] - y) < GRAB;
    gesture = { kind: grabs ? "slide" : "pull", from: at, start: { ...strike }, pulled: 0 };
    gesture.pointer = event.pointerId;
    canvas.setPointerCapture(event.pointerId);
  }

  function move(event) {
    if (!gesture || event.pointerId !== gesture.pointer) return;
    const at = own(event);
    if (gesture.kind === "slide") {
      // Drawn back off the line, the striker stays where it was and the aim begins.
      if (Math.abs(at[1] - centre()[1]) > 1.4 * large) {
        strike.place = gesture.start.place;
        gesture.kind = "pull";
        gesture.from = centre();
      } else {
        // A hand is not finer than this: beside a free place is meant to be there.
        const place = gesture.start.place + at[0] - gesture.from[0], free = nearest(place);
        set({ place: Math.abs(free - place) < SNAP ? free : place });
        return;
      }
    }
    pull(at);
  }

  function up(event) {
    if (!gesture || event.pointerId !== gesture.pointer) return;
    const { kind, pulled } = gesture;
    gesture = null;
    changed();
    if (kind === "pull" && pulled >= DEAD) flick();
  }

  function cancel() {
    if (!gesture) return;
    Object.assign(strike, gesture.start);
    gesture = null;
    changed();
  }

  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", cancel);

  // ---- drawing --------------------------------------------------------------------------

  // Where the striker first touches something, and which carromman, if it is one.
  function firstTouch([x, y], [u, v]) {
    let best = Infinity, met = null;
    for (const [, place] of asked.discs) {
      const [cx, cy] = board.turned(place.map((value) => value * data.unit), -asked.side);
      const along = (cx - x) * u + (cy - y) * v;
      const aside = (cx - x) * v - (cy - y) * u;
      const reach = (small + large) ** 2 - aside ** 2;
      if (along <= 0 || reach <= 0) continue;
      const distance = along - Math.sqrt(reach);
      if (distance >= 0 && distance < best) { best = distance; met = [cx, cy]; }
    }
    const edge = data.corner - large;
    for (const [from, way] of [[x, u], [y, v]]) {
      const distance = way ? ((way > 0 ? edge : -edge) - from) / way : Infinity;
      if (distance >= 0 && distance < best) { best = distance; met = null; }
    }
    return [best, met];
  }

  function draw() {
    if (!asked) return;
    const onBoard = (place) => board.turned(place, asked.side);
    const y = data.line + asked.forward;
    for (const [low, high] of asked.free) {
      board.line([onBoard([low - 0.001, y]), onBoard([high + 0.001, y])], GREEN, 0.004);
    }
    const [x] = centre(), legal = isFree(strike.place);
    const ahead = [-Math.sin(strike.direction), Math.cos(strike.direction)];
    const pulling = gesture && gesture.kind === "pull";
    if (legal && !(pulling && gesture.pulled < DEAD)) {
      const [distance, met] = firstTouch([x, y], ahead);
      const end = [x + ahead[0] * distance, y + ahead[1] * distance];
      board.line([onBoard([x, y]), onBoard(end)], BLUE, 0.0016, [0.008, 0.006]);
      board.circle(...onBoard(end), large, null, BLUE, 0.0012);
      if (met) {
        const way = [met[0] - end[0], met[1] - end[1]], length = Math.hypot(...way);
        const to = [met[0] + 0.1 * way[0] / length, met[1] + 0.1 * way[1] / length];
        board.line([onBoard(met), onBoard(to)], GREEN, 0.0016, [0.004, 0.004]);
      }
      const share = (strike.speed - slowest) / (fastest - slowest);
      board.arrow(onBoard([x, y]), onBoard(ahead), large + 0.02 + 0.09 * share, BLUE);
    }
    board.discs(new Map([[board.STRIKER, onBoard([x, y]).map((value) => value / data.unit)]]));
    if (!legal) board.circle(...onBoard([x, y]), large + 0.003, null, RED, 0.005);
  }

  return { ask, cancel, draw, isFree, set, strike };
};
