"""Whether a strike does a drill in the way that the drill is about."""

from __future__ import annotations

from collections.abc import Callable

from carrom.env import CarromEnv
from carrom.physics.strike import Strike
from carrom_agents.drills.drill import Drill
from carrom_agents.practice import lay_out, practice_env, stroke_from
from carrom_agents.shot_kinds import FILM_RATE, ShotKind, falls

Way = Callable[[Drill, Strike], bool]


def asked_way() -> Way:
    """The judge: plays a strike without errors on the reference engine, and looks at the film.

    Where a drill is about a kind of shot, the first of the carrommen it asks for has to fall in
    that way; otherwise the drill has to succeed, however. Breaks are not looked at: the last
    micrometre decides how one ends, and no two engines agree on a single one.
    """
    env = practice_env(noise="none", film_rate=FILM_RATE)

    def judge(drill: Drill, strike: Strike) -> bool:
        return drill.break_to_be_made or _is_asked(env, drill, strike)

    return judge


def _is_asked(env: CarromEnv, drill: Drill, strike: Strike) -> bool:
    lay_out(env, drill.position(), seed=0)
    stroke = stroke_from(env, strike)
    if stroke.motion is None or not drill.succeeded(stroke.motion):
        return False
    if drill.kind not in tuple(ShotKind):
        return True
    wanted = drill.index_order[drill.success.pocketed[0]]
    fallen = falls(env.setting.board, drill.layout, strike, stroke.motion)
    return any(each.carromman == wanted and each.kind == drill.kind for each in fallen)
