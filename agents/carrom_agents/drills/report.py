"""How players do drills, as a table and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from carrom_agents.drills.drill import KINDS, Drill, of_kind
from carrom_agents.drills.pictures import draw_drills
from carrom_agents.drills.search import NOISE, TRIES
from carrom_agents.drills.trials import BEST, Plan, Rates
from carrom_agents.statistics import Estimate, proportion

_INTRODUCTION = """\
# Drills

{count} positions, by kind of shot, in each of which one stroke has a task. They lie in
`agents/carrom_agents/data/drills.json`, in metres, in the frame of the player who strikes; the
loader refuses what the laws do not allow. The positions are computed from the geometry of the
shots (`drills/design.py`), and `python scripts/drills.py --search` looks for the best strike of
each on the planar engine: aimed and random strikes, sifted with the errors of an expert's hand.
Only strikes that do it in the way the drill is about are searched; a player may do it in any
way. A stroke succeeds if what is ringed in green falls, or, in the defence, is cleared away, and
the striker does not.

*Best known* is the share of {tries} tries with noise `{search_noise}` in which that strike
succeeds on the planar engine; level 1 is 0.9 and more, 2 is 0.6 and more, 3 is less. *Best
strike* is the same strike on MuJoCo, like the players: {plan}. Intervals are of 95 %; in the
first table they are as wide as if all tries of a kind had the same chance.

```sh
{command}
```
"""


@dataclass(frozen=True)
class DrillReport:
    """How players did drills.

    Attributes:
        plan: under what.
        drills: in the order in which they are shown.
        rates: by drill, by player.
    """

    plan: Plan
    drills: tuple[Drill, ...]
    rates: Rates

    @property
    def columns(self) -> list[str]:
        """The best strike, if there is one, and the players."""
        names = list(dict.fromkeys(name for rates in self.rates.values() for name in rates))
        return sorted(names, key=lambda name: name != BEST)

    def table(self) -> Table:
        """For people."""
        title = f"{self.plan.tries} tries each, noise {self.plan.noise}, seed {self.plan.seed}"
        table = Table(title=title, caption="share of tries, with 95 % intervals", box=SIMPLE_HEAD)
        for heading in ("drill", "level", "best known", *self.columns):
            table.add_column(heading)
        for kind in KINDS:
            drills = of_kind(self.drills, kind)
            for drill in drills:
                cells = [_text(self.rates[drill.name].get(name)) for name in self.columns]
                table.add_row(drill.name, _level(drill), _known(drill), *cells)
            if drills:
                table.add_section()
        table.add_section()
        for kind in self._kinds():
            cells = [_text(self._of_all(of_kind(self.drills, kind), n)) for n in self.columns]
            table.add_row(f"all {kind}", "", "", *cells)
        cells = [_text(self._of_all(self.drills, name)) for name in self.columns]
        table.add_row("all", "", "", *cells)
        return table

    def write(self, target: Path, command: str) -> None:
        """Write the page, with pictures in ``images`` beside it.

        Args:
            target: the page, .md.
            command: that it comes from.
        """
        images = target.parent / "images"
        images.mkdir(parents=True, exist_ok=True)
        parts = [self._introduction(command), self._summary()]
        for kind in self._kinds():
            drills = of_kind(self.drills, kind)
            picture = images / f"drills-{kind}.png"
            draw_drills(drills, picture)
            parts.append(self._chapter(kind, drills, f"images/{picture.name}"))
        target.write_text("\n".join(parts), encoding="utf-8")

    def _introduction(self, command: str) -> str:
        plan = self.plan
        told = (
            f"{plan.tries} tries with noise `{plan.noise}`, seed {plan.seed}; a player is asked "
            f"{plan.asked} times for a strike, and each is tried {plan.each} times"
        )
        return _INTRODUCTION.format(
            count=len(self.drills), tries=TRIES, search_noise=NOISE, plan=told, command=command
        )

    def _summary(self) -> str:
        rows = [["kind", "drills", *self.columns]]
        for kind in self._kinds():
            drills = of_kind(self.drills, kind)
            shares = [_text(self._of_all(drills, name)) for name in self.columns]
            rows.append([f"[{kind}](#{kind})", str(len(drills)), *shares])
        shares = [_text(self._of_all(self.drills, name)) for name in self.columns]
        rows.append(["all", str(len(self.drills)), *shares])
        return _markdown(rows)

    def _chapter(self, kind: str, drills: Sequence[Drill], picture: str) -> str:
        rows = [["drill", "task", "level", "best known", *self.columns]]
        for drill in drills:
            shares = [_text(self.rates[drill.name].get(name)) for name in self.columns]
            rows.append([drill.name, drill.task, _level(drill), _known(drill), *shares])
        return f"## {kind}\n\n![{kind}: positions and best strikes]({picture})\n\n{_markdown(rows)}"

    def _kinds(self) -> list[str]:
        return [kind for kind in KINDS if of_kind(self.drills, kind)]

    def _of_all(self, drills: Sequence[Drill], name: str) -> Estimate | None:
        """The share of the tries of some drills together."""
        found = [self.rates[d.name][name] for d in drills if name in self.rates[d.name]]
        if not found:
            return None
        done = round(sum(each.value * each.samples for each in found))
        return proportion(done, sum(each.samples for each in found))


def _text(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _level(drill: Drill) -> str:
    return "-" if drill.difficulty is None else str(drill.difficulty)


def _known(drill: Drill) -> str:
    return "-" if drill.best is None else f"{drill.best.rate:.2f}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|---" * len(rows[0]) + "|", *body, ""])
