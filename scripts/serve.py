"""Play in the browser, against any player of the ladder, or watch two.

    python scripts/serve.py --open                    # on this machine only
    python scripts/serve.py --player runs/NAME        # a trained agent, too
    python scripts/serve.py --host 0.0.0.0            # for everybody in the network

Stop it with Ctrl-C. docs/playing.md says how to play.
"""

from __future__ import annotations

import argparse
import os
import sys

# Whatever the user has set stays. Players of this size are fastest on the processor, and what
# the planner compiles for half a minute is kept for the next time.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
os.environ.setdefault(
    "JAX_COMPILATION_CACHE_DIR", os.path.join(os.environ["XDG_CACHE_HOME"], "carrom-rl", "programs")
)
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")

from carrom.errors import ConfigError
from carrom.opponents import opponent_names
from carrom.program import run
from carrom.render.backend import check_setting

_PREFERRED = "ppo"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--host", default="127.0.0.1", help="listen there (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="0 for any free one")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--player", action="append", default=[], metavar="RUN", help="a run folder; repeatable"
    )
    parser.add_argument("--games", type=int, default=32, help="open at once (default: 32)")
    parser.add_argument(
        "--idle-minutes", type=float, default=60.0, help="until a game is closed (default: 60)"
    )
    arguments = parser.parse_args()
    return run("serve", lambda: _serve(arguments))


def _serve(arguments: argparse.Namespace) -> int:
    for option, value in (("games", arguments.games), ("idle-minutes", arguments.idle_minutes)):
        if not value > 0:
            raise ConfigError(f"--{option} {value}: expected more than 0")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    try:
        from carrom_agents.serving.app import application
        from carrom_agents.serving.server import end, listening, names_of, serve
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in ("starlette", "uvicorn"):
            raise
        raise ConfigError(
            f"{package} is not installed: expected pip install 'carrom-rl[serve]'"
        ) from None
    from carrom_agents.roster import find_player, short_name
    from carrom_agents.serving.hosted import Limits
    from carrom_agents.serving.hosting import Host
    from carrom_agents.serving.shared_player import SharedPlayer

    players = {name: SharedPlayer(name) for name in opponent_names()}
    for folder in arguments.player:
        name = short_name(folder)
        if name in players:
            raise ConfigError(f"--player {folder}: there is a player {name} already")
        trained = find_player(folder)
        players[name] = SharedPlayer(folder, lambda _, trained=trained: trained)
    limits = Limits(games=arguments.games, idle_s=60 * arguments.idle_minutes)
    host = Host(players, limits)
    app = application(host, preferred=_PREFERRED, called=names_of(arguments.host))
    sock = listening(arguments.host, arguments.port)
    serve(app, sock, arguments.host, say=_say, opens=arguments.open)
    end(host)
    return 0


def _say(address: str) -> None:
    print(f"play at {address} (Ctrl-C to stop)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
