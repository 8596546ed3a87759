"""How well players play: the same positions for all, and every number with its interval."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from carrom.errors import ConfigError
from carrom.opponents import Player, find_opponent
from carrom.vector import CarromVectorEnv
from carrom_agents.episode import check_at_least, player_chance
from carrom_agents.played_boards import played_boards, shots_of
from carrom_agents.reports import BoardReport, Measures, PlayerShots, ShotReport, SoloReport
from carrom_agents.shot_rates import rates
from carrom_agents.statistics import Estimate, mean, paired_difference, proportion

_BOARDS_AT_ONCE = 256


def evaluate_shots(
    players: Mapping[str, Player],
    *,
    positions: int,
    seed: int,
    noise: str = "expert",
    **env_kwargs: Any,
) -> ShotReport:
    """Let every player strike in the same positions, with the same errors of the hand.

    Args:
        players: by name.
        positions: how many, at least 2, drawn as in ``CarromShot-v0``.
        seed: position i is that of an environment reset with ``seed + i``; the players'
            own chance follows from it too.
        noise: level of execution noise.
        **env_kwargs: further options of ``CarromShot-v0``.

    Raises:
        ConfigError: no players, too few positions, or a bad option.
    """
    if not players:
        raise ConfigError("no players to evaluate: expected at least one")
    # Of one position there is a mean, but no interval.
    check_at_least("positions", positions, 2)
    check_at_least("seed", seed, 0)
    samples = {
        name: _shot_samples(player, positions, seed, noise, env_kwargs)
        for name, player in players.items()
    }
    rng = np.random.default_rng(seed)
    return ShotReport(
        positions=positions,
        seed=seed,
        noise=noise,
        players={
            name: PlayerShots(
                **{key: mean(values, rng) for key, values in drawn.items()},
                success=proportion(int(np.count_nonzero(drawn["pocketed"])), positions),
            )
            for name, drawn in samples.items()
        },
        differences={
            (first, second): Measures(
                **{
                    key: paired_difference(samples[first][key], samples[second][key], rng)
                    for key in samples[first]
                }
            )
            for first, second in combinations(players, 2)
        },
    )


def play_boards(
    player: Player,
    opponent: str | Player,
    *,
    boards: int,
    seed: int,
    noise: str = "expert",
    swap_seats: bool = True,
    names: tuple[str, str] = ("player", "opponent"),
    shot_kinds: bool = False,
    **env_kwargs: Any,
) -> BoardReport:
    """Play boards of ``CarromBoard-v0``.

    The boards of one start are not independent, so means are taken over starts first; the
    intervals of the shares count boards.

    Args:
        player: whose report it is.
        opponent: whom it plays, by name or itself.
        boards: how many; even if seats are swapped.
        seed: of the first start; the others follow.
        noise: level of execution noise, of both.
        swap_seats: play every start twice, either breaking once; otherwise the start draws
            the breaker.
        names: of the player and the opponent in the report.
        shot_kinds: look also at how often the player makes shots of each kind; every stroke of
            his is then filmed, and played once more as he meant it.
        **env_kwargs: further options of ``CarromBoard-v0``.

    Raises:
        ConfigError: a number of boards that cannot be, or a bad option.
    """
    check_at_least("boards", boards, 1)
    check_at_least("seed", seed, 0)
    breakers = ("agent", "opponent") if swap_seats else ("random",)
    if boards % len(breakers):
        raise ConfigError(f"boards = {boards}: expected an even number, as seats are swapped")
    starts = range(seed, seed + boards // len(breakers))
    foe = find_opponent(opponent)
    played = [
        list(
            played_boards(
                "CarromBoard-v0",
                player,
                starts,
                shot_kinds,
                opponent=foe,
                noise=noise,
                first=first,
                **env_kwargs,
            )
        )
        for first in breakers
    ]
    everything = [board for side in played for board in side]
    broken = [board.slam for board in everything if board.broke]
    rng = np.random.default_rng(seed)

    def per_board(measure: str) -> Estimate:
        samples = [[getattr(board, measure) for board in side] for side in played]
        return dataclasses.replace(mean(np.mean(samples, axis=0), rng), samples=boards)

    def share(measure: str) -> Estimate:
        return proportion(sum(getattr(board, measure) for board in everything), boards)

    return BoardReport(
        player=names[0],
        opponent=names[1],
        boards=boards,
        seed=seed,
        noise=noise,
        won=share("won"),
        lost=share("lost"),
        points=per_board("points"),
        strokes=per_board("strokes"),
        dues=per_board("dues"),
        opponent_dues=per_board("opponent_dues"),
        queens=share("queen"),
        slams=proportion(sum(broken), len(broken)) if broken else None,
        shots=rates(shots_of(everything)) if shot_kinds else None,
    )


def play_alone(
    player: Player,
    *,
    boards: int,
    seed: int,
    noise: str = "expert",
    name: str = "player",
    **env_kwargs: Any,
) -> SoloReport:
    """Let a player clear boards of ``CarromSolo-v0`` alone.

    Args:
        player: whose report it is.
        boards: how many.
        seed: of the first board; the others follow.
        noise: level of execution noise.
        name: of the player in the report.
        **env_kwargs: further options of ``CarromSolo-v0``.

    Raises:
        ConfigError: too few boards, a negative seed, or a bad option.
    """
    check_at_least("boards", boards, 1)
    check_at_least("seed", seed, 0)
    starts = range(seed, seed + boards)
    played = list(played_boards("CarromSolo-v0", player, starts, True, noise=noise, **env_kwargs))
    rng = np.random.default_rng(seed)
    return SoloReport(
        player=name,
        boards=boards,
        seed=seed,
        noise=noise,
        cleared=proportion(sum(board.won for board in played), boards),
        strokes=mean([board.strokes for board in played], rng),
        dues=mean([board.dues for board in played], rng),
        slams=proportion(sum(board.slam for board in played), boards),
        shots=rates(shots_of(played)),
    )


def _shot_samples(
    player: Player, positions: int, seed: int, noise: str, env_kwargs: dict[str, Any]
) -> dict[str, NDArray[np.float64]]:
    """One player's measures in each position, keyed as ``Measures``."""
    env = gym.make_vec(
        "CarromShot-v0",
        num_envs=min(positions, _BOARDS_AT_ONCE),
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
        noise=noise,
        **env_kwargs,
    )
    assert isinstance(env, CarromVectorEnv)
    samples = np.empty((positions, 3))
    for done in range(0, positions, env.num_envs):
        env.reset(seed=seed + done)
        strikes = [
            player(view, player_chance(seed + done + index))
            for index, view in enumerate(env.views())
        ]
        _, rewards, *_ = env.answer(strikes)
        # The last block may reach beyond the positions asked for.
        for index in range(min(env.num_envs, positions - done)):
            (stroke,) = env.last_strokes[index]
            samples[done + index] = stroke.own_pocketed, rewards[index], stroke.charged
    env.close()
    return dict(zip(("pocketed", "points", "dues"), samples.T, strict=True))
