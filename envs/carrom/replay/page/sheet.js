// The score and the umpire's rulings in the document. Names and sentences are only ever set as
// text: nothing that players are called is markup.
const carromSheet = (data) => {
  const find = (id) => document.getElementById(id);

  function element(tag, text, name) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  // Who has the turn, by colour (0 white, 1 black), or null.
  function showScore(score, turn) {
    const rows = data.sides.map((name, side) => {
      const colour = side === score.white ? 0 : 1;
      const row = element("tr");
      if (turn === colour) row.className = "turn";
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

  function showRuling(stroke) {
    find("who").textContent = `${data.players[stroke.seat]} (${stroke.black ? "black" : "white"})`;
    find("what").textContent = [stroke.what, ...stroke.laid].join("; ");
    find("so").textContent = stroke.so;
    find("laws").replaceChildren(...stroke.laws.map((law) => {
      const item = element("li");
      item.append(element("b", law), element("span", data.laws[law]));
      return item;
    }));
  }

  // A row of the list of strokes, to be pressed.
  function row(stroke, index, act) {
    const button = element("button", `${index + 1}  ${data.players[stroke.seat]}: ${stroke.what}`);
    button.type = "button";
    button.addEventListener("click", act);
    const item = element("li");
    item.append(button);
    return item;
  }

  // Marks a row; only the list scrolls, never the page under somebody's thumb.
  function mark(index) {
    const list = find("list");
    for (const button of list.querySelectorAll("[aria-current]")) {
      button.removeAttribute("aria-current");
    }
    if (!list.children[index]) return;
    const chosen = list.children[index];
    chosen.firstChild.setAttribute("aria-current", "true");
    const top = chosen.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + chosen.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
  }

  return { element, find, mark, row, showRuling, showScore };
};

// Light or dark, as the system prefers, until the reader chooses.
const carromTheme = (changed) => {
  const root = document.documentElement;
  const set = (theme) => { root.dataset.theme = theme; changed(); };
  const other = () => set(root.dataset.theme === "dark" ? "light" : "dark");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", (event) => set(event.matches ? "dark" : "light"));
  document.getElementById("theme").addEventListener("click", other);
  set(dark.matches ? "dark" : "light");
  return other;
};
