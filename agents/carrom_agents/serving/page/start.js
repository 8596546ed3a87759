"use strict";
(() => {
  const find = (id) => document.getElementById(id);

  // A name can be given to people only.
  function showNames() {
    for (const side of ["first", "second"]) {
      find(`${side}_name`).parentNode.hidden = find(side).value !== "person";
    }
    const watched = find("first").value !== "person" && find("second").value !== "person";
    find("open").textContent = watched ? "Watch" : "Play";
  }

  async function open() {
    const wish = {};
    for (const name of ["first", "second", "task", "breaks", "noise"]) wish[name] = find(name).value;
    for (const side of ["first", "second"]) {
      if (wish[side] === "person") wish[`${side}_name`] = find(`${side}_name`).value;
    }
    const answer = await fetch("/games", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(wish),
    });
    const told = await answer.json();
    if (told.error) throw new Error(told.error);
    window.location.assign(`/games/${told.game}`);
  }

  find("start").addEventListener("submit", (event) => {
    event.preventDefault();
    find("open").disabled = true;
    find("error").textContent = "";
    open().catch((error) => {
      find("error").textContent = error.message;
      find("open").disabled = false;
    });
  });
  for (const side of ["first", "second"]) find(side).addEventListener("change", showNames);
  // Coming back by the browser's button, the form can be sent again.
  window.addEventListener("pageshow", () => { find("open").disabled = false; showNames(); });
  carromTheme(() => {});
})();
