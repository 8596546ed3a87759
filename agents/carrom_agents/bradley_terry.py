"""Bradley and Terry's model of who wins, with the break and with draws, fitted to counts.

With strengths ``s``, the advantage ``g`` of breaking and the inclination ``d`` to draw, the
breaker ``b`` wins, draws or loses against ``r`` with chances in the proportions

    exp(x / 2) : exp(d) : exp(-x / 2),    x = s_b + g - s_r

(Bradley and Terry, Biometrika 39, 1952; ties by Davidson, JASA 65, 1970; the order of play by
Davidson and Beaver, Biometrics 33, 1977). Won games alone follow the logistic curve of Elo's
ratings. The likelihood is concave in all parameters, so Newton's method finds the one maximum.

Whoever has won everything would be infinitely strong. A weak prior keeps every number finite:
each player has also played ``PRIOR`` games against one of the players' mean strength, half won
and half lost; so has the breaker against an equal; and equals have drawn half of as many. It
pulls nobody by more than half of those games, however far he is from the others.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

PRIOR = 0.5
"""Games of the prior for each parameter. With a whole one the intervals of a weak player who is
only known by a draw or two held his strength less often than they say."""
OUTCOMES = 3
"""The breaker won, it was drawn, he lost: the last axis of a table of results."""
_NEVER = -1e3
"""The inclination to draw where nothing was drawn: its chance underflows to exactly 0."""
_FAINT = 0.02
"""Games of the prior where the likelihood itself is looked at."""
_STRIDE, _STEPS = 1.0, 60
"""How far the likelihood is followed at a time, and how often; the first strides are long."""
_ITERATIONS = 100
_TOLERANCE = 1e-9
"""Longest last step, in natural units of strength."""


@dataclass(frozen=True)
class Strengths:
    """Parameters of the model, in natural units: e to one for odds, 173.7 of Elo's.

    Attributes:
        players: (..., n), with mean 0.
        breaking: (...), what breaking adds to a strength.
        drawing: (...), logarithm of the weight of a draw; -inf where nothing was drawn.
    """

    players: Float
    breaking: Float
    drawing: Float


def chances(strengths: Strengths) -> Float:
    """Chances that the breaker wins, draws or loses, (..., n, n, 3), [breaker, other, outcome].

    On the diagonal a player meets his equal.
    """
    return np.exp(_log_chances(_difference(strengths), strengths.drawing))


def fit(table: Float, *, prior: float = PRIOR) -> Strengths:
    """The most probable strengths, given results.

    Args:
        table: (..., n, n, 3), games by breaker, other player and outcome; zero where
            nobody met. Any number of tables are fitted at once.
        prior: games of the prior; 0 for plain maximum likelihood, which exists only where
            everybody has conceded something to everybody, at least by way of others.

    Raises:
        RuntimeError: no maximum was found, as where there is none.
    """
    shape, n = table.shape[:-3], table.shape[-2]
    games = table.reshape(-1, n, n, OUTCOMES)
    posterior = _Posterior(games, np.asarray(games[..., 1].sum(axis=(-2, -1)) > 0), prior)
    point = _maximum(posterior, posterior.start)
    drawing = np.where(posterior.drawn, point[:, -1], -np.inf)
    return Strengths(
        point[:, :n].reshape(*shape, n), point[:, -2].reshape(shape), drawing.reshape(shape)
    )


def likely_range(table: Float, anchor: int, confidence: float) -> tuple[Float, Float]:
    """How far from one player the others' strengths may lie, by the profile of the likelihood.

    A strength is possible if, with everything else as likely as can be, the results are no less
    likely than by the factor that belongs to a normal distribution (Wilks 1938). Unlike a
    resampling it does not depend on the rarest results being drawn again.

    Args:
        table: (n, n, 3), as for ``fit``.
        anchor: the player from whom it is counted.
        confidence: share of ranges that hold the true strength, in the long run.

    Returns:
        Lowest and highest strength of each, (n,), less the anchor's; infinite where no strength
        is unlikely enough, however far it is looked for.
    """
    n = len(table)
    others = np.repeat([player for player in range(n) if player != anchor], 2)
    outwards = np.tile([-1.0, 1.0], n - 1)
    each = np.arange(len(others))
    apart = np.zeros((len(others), n + 2))
    apart[each, others], apart[:, anchor] = 1.0, -1.0
    games = np.broadcast_to(table, (len(others), *table.shape))
    drawn = np.full(len(others), bool(table[..., 1].any()))
    best = _Posterior(games, drawn, PRIOR, _FAINT)
    held = dataclasses.replace(best, held=apart)
    point = _maximum(best, best.start)
    least = best.objective(point) - _drop(confidence)
    # Outwards step by step, then halfway back and forth, from the last strength that is possible:
    # far from the maximum Newton's method would lose itself.
    stride, going = np.full(len(others), _STRIDE), np.ones(len(others), bool)
    for _ in range(_STEPS):
        start = point.copy()
        start[each, others] += outwards * stride
        reached = _maximum(held, start)
        possible = best.objective(reached) >= least
        point = np.where(possible[:, None], reached, point)
        going &= possible
        stride = np.where(going, stride, stride / 2)
    ends = np.where(going, np.inf * outwards, np.sum(point * apart, axis=1))
    low, high = np.zeros(n), np.zeros(n)
    low[others[::2]], high[others[1::2]] = ends[::2], ends[1::2]
    return low, high


def _drop(confidence: float) -> float:
    """By how much the logarithm of the likelihood may be less than at its maximum."""
    return NormalDist().inv_cdf((1 + confidence) / 2) ** 2 / 2


def _maximum(posterior: _Posterior, point: Float) -> Float:
    """Where the density is greatest, (B, n + 2); by Newton's method.

    Raises:
        RuntimeError: no maximum was found, as where there is none.
    """
    for _ in range(_ITERATIONS):
        step = posterior.step(point)
        point = point + step
        if not np.all(np.isfinite(point)):
            break
        if np.max(np.abs(step), initial=0.0) < _TOLERANCE:
            return point
    raise RuntimeError("the strengths do not converge: with prior = 0 there may be no maximum")


def _difference(strengths: Strengths) -> Float:
    """X of the module's formula, (..., n, n)."""
    players = strengths.players
    return players[..., :, None] + strengths.breaking[..., None, None] - players[..., None, :]


def _log_chances(difference: Float, drawing: Float) -> Float:
    draw = np.broadcast_to(drawing[..., None, None], difference.shape)
    logits = np.stack([difference / 2, draw, -difference / 2], axis=-1)
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def _at(point: Float) -> Strengths:
    return Strengths(point[:, :-2], point[:, -2], point[:, -1])


def _along(curvature: Float, gradient: Float, held: Float) -> Float:
    """Newton's step, (B, m), that does not change the product with ``held``, (B, m)."""
    size = gradient.shape[-1]
    bordered = np.zeros((len(gradient), size + 1, size + 1))
    bordered[:, :size, :size] = curvature
    bordered[:, :size, size] = bordered[:, size, :size] = held
    wanted = np.concatenate([gradient, np.zeros((len(gradient), 1))], axis=1)
    return np.linalg.solve(bordered, wanted[..., None])[:, :size, 0].astype(np.float64)


@dataclass(frozen=True)
class _Posterior:
    """The density to be maximised, for B tables; points are (B, n + 2), as in ``_at``.

    Attributes:
        games: (B, n, n, 3).
        drawn: whether anything was drawn, (B,); otherwise that parameter stays as it is.
        prior: games of the prior.
        of_players: games of the prior of each player, if they are not as many.
        held: (B, n + 2), of the parameters what stays as it is; nothing if None.
    """

    games: Float
    drawn: NDArray[np.bool_]
    prior: float
    of_players: float | None = None
    held: Float | None = None

    @property
    def start(self) -> Float:
        """A point from which Newton's method finds the maximum."""
        point = np.zeros((len(self.games), self.games.shape[1] + 2))
        point[~self.drawn, -1] = _NEVER
        return point

    def step(self, point: Float) -> Float:
        """Newton's step, as much of it as gains something."""
        gradient, curvature = self._derivatives(point)
        if self.held is None:
            step = np.linalg.solve(curvature, gradient[..., None])[..., 0].astype(np.float64)
        else:
            step = _along(curvature, gradient, self.held)
        before = self.objective(point)
        slack = 1e-12 * (1 + np.abs(before))
        for _ in range(_ITERATIONS):
            worse = ~(self.objective(point + step) >= before - slack)
            if not worse.any():
                break
            step[worse] /= 2
        return step

    def objective(self, point: Float) -> Float:
        """Logarithm of the density up to a constant, (B,)."""
        strengths = _at(point)
        likelihood = self.games * _log_chances(_difference(strengths), strengths.drawing)
        about, weight = self._priors(point)
        # -log p - log (1 - p) for a game between two that are ``about`` apart.
        surprise = np.abs(about) + 2 * np.log1p(np.exp(-np.abs(about)))
        return likelihood.sum(axis=(-3, -2, -1)) - (weight * surprise).sum(axis=-1)

    def _priors(self, point: Float) -> tuple[Float, Float]:
        """What the prior's games are about, and how many were won, as many as were lost."""
        about, weight = point.copy(), np.full(point.shape, self.prior / 2)
        if self.of_players is not None:
            weight[:, :-2] = self.of_players / 2
        about[:, :-2] -= point[:, :-2].mean(axis=-1, keepdims=True)
        about[:, -1] -= np.log(2)  # at which equals draw one game in two
        weight[~self.drawn, -1] = 0.0
        return about, weight

    def _derivatives(self, point: Float) -> tuple[Float, Float]:
        """Gradient of the objective, (B, n + 2), and its Hessian negated, (B, n + 2, n + 2)."""
        n = point.shape[-1] - 2
        win, draw, loss = np.moveaxis(chances(_at(point)), -1, 0)
        total, lead = self.games.sum(axis=-1), (win - loss) / 2
        by_difference = (self.games[..., 0] - self.games[..., 2]) / 2 - total * lead
        spread = total * ((win + loss) / 4 - lead**2)
        mixed = -total * lead * draw

        gradient = np.zeros(point.shape)
        gradient[:, :n] = by_difference.sum(axis=-1) - by_difference.sum(axis=-2)
        gradient[:, -2] = by_difference.sum(axis=(-2, -1))
        gradient[:, -1] = (self.games[..., 1] - total * draw).sum(axis=(-2, -1))

        curvature = np.zeros((*point.shape, n + 2))
        curvature[:, :n, :n] = -spread - np.swapaxes(spread, -2, -1)
        diagonal = np.arange(n)
        curvature[:, diagonal, diagonal] += spread.sum(axis=-1) + spread.sum(axis=-2)
        curvature[:, :n, -2] = spread.sum(axis=-1) - spread.sum(axis=-2)
        curvature[:, :n, -1] = mixed.sum(axis=-1) - mixed.sum(axis=-2)
        curvature[:, -2, -2] = spread.sum(axis=(-2, -1))
        curvature[:, -2, -1] = mixed.sum(axis=(-2, -1))
        curvature[:, -1, -1] = (total * draw * (1 - draw)).sum(axis=(-2, -1))
        curvature[:, -2:, :n] = np.swapaxes(curvature[:, :n, -2:], -2, -1)
        curvature[:, -1, -2] = curvature[:, -2, -1]
        self._add_prior(point, gradient, curvature)
        return gradient, curvature

    def _add_prior(self, point: Float, gradient: Float, curvature: Float) -> None:
        n = point.shape[-1] - 2
        about, weight = self._priors(point)
        pull = weight * np.tanh(about / 2)
        pull[:, :n] -= pull[:, :n].mean(axis=-1, keepdims=True)
        gradient -= pull
        fading = np.exp(-np.abs(about))
        stiffness = 2 * weight * fading / (1 + fading) ** 2
        centring = np.eye(n + 2)
        centring[:n, :n] -= 1 / n
        curvature += np.einsum("ki,bk,kj->bij", centring, stiffness, centring)
        # To add one number to all strengths changes nothing: this keeps their mean where it is.
        curvature[:, :n, :n] += 1 / n
        curvature[~self.drawn, -1, -1] = 1.0
