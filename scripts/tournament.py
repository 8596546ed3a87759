"""Play a tournament, as far as it has not been played yet, and rate the players.

    python scripts/tournament.py configs/ladder.yaml
    python scripts/tournament.py configs/ladder.yaml --players random aimer runs/NAME --starts 20
    python scripts/tournament.py configs/ladder.yaml --unit game --folder runs/ladder-games
    python scripts/tournament.py configs/ladder.yaml --ray HOST:PORT   # on a cluster

The games are kept in the folder, and played once: a tournament that was interrupted goes on,
and players or starts that are added play what they lack.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import sys
from pathlib import Path

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.program import run
from carrom.render.backend import check_setting

_OWN = ("folder", "starts", "seed", "rounds", "anchor", "workers")
_OF_GAMES = ("unit", "noise", "physics", "due_placing", "max_strokes", "move_limit_s")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path, help="a file as configs/ladder.yaml")
    parser.add_argument("--players", nargs="+", metavar="RUN", help="names or run folders")
    parser.add_argument("--folder", help="where the games are kept")
    parser.add_argument("--starts", type=int, help="of each pairing; each is played twice")
    parser.add_argument("--seed", type=int, help="of the first start")
    parser.add_argument("--rounds", type=int, help="of a Swiss tournament")
    parser.add_argument("--anchor", help="the player whose rating is 0")
    parser.add_argument("--workers", type=int, help="processes that share the games")
    parser.add_argument("--unit", choices=("board", "game", "match"), help="what is played")
    parser.add_argument("--noise", help="execution noise")
    parser.add_argument("--physics", choices=("mujoco", "planar"), help="the engine")
    parser.add_argument(
        "--due-placing", choices=("scripted", "agent"), help="who lays dues: agent, the players"
    )
    parser.add_argument("--max-strokes", type=int, help="after which a game is drawn")
    parser.add_argument("--move-limit-s", type=float, help="after which a player forfeits")
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="play on all processors of a Ray cluster: HOST:PORT of its head, auto for the one "
        "this machine belongs to, local for one of this machine's cores; --workers means nothing "
        "then",
    )
    parser.add_argument(
        "--wandb",
        choices=("online", "offline", "disabled"),
        default="disabled",
        help="show the ratings on Weights & Biases; offline: in the folder, to be sent later",
    )
    arguments = parser.parse_args()
    return run("tournament", lambda: _play(arguments))


def _play(arguments: argparse.Namespace) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from rich.console import Console
    from rich.progress import Progress

    from carrom_agents.logging import check_wandb, log_artifacts
    from carrom_agents.tournament.play import play_on_this_machine, play_tournament
    from carrom_agents.tournament.report import TournamentReport
    from carrom_agents.tournament.settings import load_tournament

    config = load_tournament(arguments.config)
    given = {name: value for name, value in vars(arguments).items() if value is not None}
    of_games = {name: given[name] for name in _OF_GAMES if name in given}
    own = {name: given[name] for name in _OWN if name in given}
    if "players" in given:
        own["players"] = tuple(given["players"])
    conditions = dataclasses.replace(config.conditions, **of_games)
    config = dataclasses.replace(config, conditions=conditions, **own)

    if arguments.wandb != "disabled":
        check_wandb(arguments.wandb)
    screen = Console(stderr=True)
    with contextlib.ExitStack() as opened:
        play = play_on_this_machine
        if arguments.ray is not None:
            from carrom_agents.distributed.cluster import connected

            cluster = opened.enter_context(connected(arguments.ray))
            from carrom_agents.distributed.games import games_on  # needs Ray

            play = games_on(cluster)
        bar = opened.enter_context(
            Progress(console=screen, transient=True, disable=not screen.is_terminal)
        )
        task = bar.add_task(f"{config.conditions.unit}s", total=config.games)
        records = play_tournament(
            config,
            play=play,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    report = TournamentReport.of(config, records)
    console = Console()
    console.print(report.table())
    console.print(report.wins())
    for sentence in report.forfeits():
        print(sentence)
    written = report.write(Path(config.folder))
    print("written:", *written)
    elo = {
        report.labels[name]: standing.rating.value for name, standing in report.standings.items()
    }
    log_artifacts(
        arguments.wandb,
        Path(config.folder),
        "ratings",
        written,
        print,
        config=dataclasses.asdict(config),
        metrics={f"elo/{name}": value for name, value in elo.items()},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
