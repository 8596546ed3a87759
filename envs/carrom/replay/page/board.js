"use strict";
// The board on a canvas: discs, their ways, who sits where. What lies where comes from outside,
// in the board's frame (x to the right, y away from side 0), lengths in data.unit.
const carromBoard = (canvas, data) => {
  const STRIKER = 19, BLUE = "#1052be";
  const pen = canvas.getContext("2d");
  // The side of the board that is shown at the bottom.
  let bottom = 0;

  const colours = (index) => data.discs[index < 9 ? 0 : index < 18 ? 1 : index === 18 ? 2 : 3];
  const lasts = (stroke) => stroke.ms || 0;

  // Corners come as differences: summed up once, they are times and places.
  function unpack(stroke) {
    for (const path of Object.values(stroke.paths || {})) {
      for (let i = 3; i < path.length; i += 1) path[i] += path[i - 3];
    }
    return stroke;
  }

  // A place on the board, m, seen from a side: its own frame, and back by minus the side.
  function turned([x, y], side) {
    const quarter = ((side % 4) + 4) % 4;
    return quarter === 0 ? [x, y] : quarter === 1 ? [-y, x] : quarter === 2 ? [-x, -y] : [y, -x];
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

  function standing(flat) {
    const found = new Map();
    for (let i = 0; 2 * i < flat.length; i += 1) {
      if (flat[2 * i] !== null) found.set(i, [flat[2 * i], flat[2 * i + 1]]);
    }
    return found;
  }

  function during(stroke, ms) {
    const found = standing(stroke.at);
    if (stroke.from) found.set(STRIKER, stroke.from);
    for (const [index, path] of Object.entries(stroke.paths || {})) {
      found.set(Number(index), along(path, ms));
    }
    for (const [index, , fallen] of stroke.falls || []) {
      if (ms >= fallen) found.delete(index);
    }
    return found;
  }

  // Where an event of the mouse or of a finger is, m.
  function placeOf(event) {
    const box = canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left) / box.width - 1) * data.half;
    const y = (1 - 2 * (event.clientY - box.top) / box.height) * data.half;
    return turned([x, y], bottom);
  }

  // ---- drawing --------------------------------------------------------------------------

  function begin(side) {
    bottom = side;
    const size = canvas.clientWidth, dense = window.devicePixelRatio || 1;
    const pixels = Math.max(1, Math.round(size * dense));
    if (canvas.width !== pixels || canvas.height !== pixels) {
      canvas.width = pixels;
      canvas.height = pixels;
    }
    const scale = pixels / (2 * data.half);
    pen.setTransform(scale, 0, 0, -scale, pixels / 2, pixels / 2);
    pen.clearRect(-data.half, -data.half, 2 * data.half, 2 * data.half);
    pen.rotate(-bottom * Math.PI / 2);
  }

  function circle(x, y, radius, fill, edge, width) {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (edge) { pen.strokeStyle = edge; pen.lineWidth = width; pen.stroke(); }
  }

  function line(points, colour, width, dashes) {
    pen.beginPath();
    points.forEach(([x, y], number) => (number ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.setLineDash(dashes || []);
    pen.lineJoin = "round";
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
    pen.setLineDash([]);
  }

  function arrow([x, y], [u, v], reach, colour) {
    line([[x, y], [x + u * reach, y + v * reach]], colour, 0.004);
    pen.beginPath();
    pen.moveTo(x + u * (reach + 0.014), y + v * (reach + 0.014));
    pen.lineTo(x + u * reach - v * 0.007, y + v * reach + u * 0.007);
    pen.lineTo(x + u * reach + v * 0.007, y + v * reach - u * 0.007);
    pen.fillStyle = colour;
    pen.fill();
  }

  function discs(places) {
    for (const [index, place] of places) {
      const [face, groove] = colours(index);
      const radius = data.radii[index === STRIKER ? 1 : 0];
      const x = place[0] * data.unit, y = place[1] * data.unit;
      circle(x, y, radius - 0.0006, face, "#1c1614", 0.0012);
      circle(x, y, radius * 0.6, null, groove, 0.0012);
    }
  }

  function trails(stroke, ms) {
    pen.globalAlpha = 0.55;
    for (const [key, path] of Object.entries(stroke.paths || {})) {
      const points = [[path[1] * data.unit, path[2] * data.unit]];
      for (let i = 3; i < path.length && path[i] < ms; i += 3) {
        points.push([path[i + 1] * data.unit, path[i + 2] * data.unit]);
      }
      points.push(along(path, ms).map((value) => value * data.unit));
      line(points, colours(Number(key))[0], 0.002);
    }
    pen.globalAlpha = 1;
    if (stroke.from && ms === 0) {
      const speed = Math.hypot(...stroke.velocity) || 1;
      const ahead = stroke.velocity.map((value) => value / speed);
      const from = stroke.from.map((value) => value * data.unit);
      arrow(from, ahead, data.radii[1] + 0.03 + 0.02 * speed, BLUE);
    }
  }

  // Text in the window's own direction, or turned from it by an angle.
  function upright(text, x, y, size, colour, angle) {
    pen.save();
    pen.translate(x, y);
    pen.rotate((angle || 0) + bottom * Math.PI / 2);
    pen.scale(size / 20, -size / 20);
    pen.font = "600 20px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = colour;
    pen.fillText(text, 0, 0, (20 / size) * 1.4 * data.half);
    pen.restore();
  }

  function falls(stroke, ms) {
    const seen = [0, 0, 0, 0];
    (stroke.falls || []).forEach(([index, pocket, fallen], number) => {
      if (ms < fallen) return;
      const [px, py] = data.pockets[pocket];
      const x = px + Math.sign(px) * 0.035 - Math.sign(px) * 0.026 * seen[pocket];
      const y = py + Math.sign(py) * 0.035;
      seen[pocket] += 1;
      const [face, groove] = colours(index);
      circle(x, y, 0.0125, face, groove, 0.0015);
      upright(String(number + 1), x, y, 0.015, index < 9 ? "#1c1614" : "#fff");
    });
  }

  // The names on the frame; that of the player with the turn stands out.
  function seats(players, rotation, turn) {
    const out = data.half - 0.42 * data.frame;
    for (const [seat, name] of Object.entries(players)) {
      const side = (Number(seat) + rotation) % 4;
      const angle = side * Math.PI / 2;
      const shown = (side - bottom + 4) % 4;
      const colour = Number(seat) === turn ? "#ffe08a" : "#d9c3ae";
      // Nobody has to read upside down.
      const tilt = shown === 2 ? 0 : shown * Math.PI / 2;
      upright(name, out * Math.sin(angle), -out * Math.cos(angle), 0.026, colour, tilt);
    }
  }

  return {
    STRIKER, arrow, begin, circle, discs, during, falls, lasts, line, placeOf, seats, standing,
    trails, turned, unpack, upright,
  };
};
