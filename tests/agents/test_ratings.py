"""Ratings against closed forms, a slow optimiser, simulated results and another package."""

import math
import re

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from openskill.models import PlackettLuce

from carrom.errors import ConfigError
from carrom_agents.bradley_terry import PRIOR, Strengths, chances, fit, likely_range
from carrom_agents.ratings import ELO, Pair, Ratings, rate


def _simulated(
    elo: dict[str, float], breaking: float, drawing: float, starts: int, rng: np.random.Generator
) -> list[Pair]:
    """A round robin of players with these strengths, every game drawn on its own."""

    def scores(breaker: str, other: str) -> np.ndarray:
        """Of the breaker; the formula of the paper, not the module's."""
        odds = 10 ** ((elo[breaker] + breaking - elo[other]) / 400)
        weights = np.array([odds, drawing * math.sqrt(odds), 1.0])
        return rng.choice([1.0, 0.5, 0.0], p=weights / weights.sum(), size=starts)

    names = list(elo)
    return [
        Pair(one, two, first, 1 - second)
        for place, one in enumerate(names)
        for two in names[:place]
        for first, second in zip(scores(one, two), scores(two, one), strict=True)
    ]


def _rated(pairs: list[Pair], anchor: str, seed: int = 0, **options) -> Ratings:
    return rate(pairs, anchor=anchor, rng=np.random.default_rng(seed), **options)


def _slow(pairs: list[Pair], anchor: str) -> tuple[dict[str, float], float, float]:
    """Ratings, break and share of draws by a general optimiser, one game after the other."""
    names = sorted({name for pair in pairs for name in (pair.one, pair.two)})
    games = [(pair.one, pair.two, pair.breaking) for pair in pairs]
    games += [(pair.two, pair.one, 1 - pair.replying) for pair in pairs]
    with_draws = any(score == 0.5 for *_, score in games)

    def evidence(about: float) -> float:
        """Half of the prior's games won, half lost, between two who are so far apart."""
        return -PRIOR / 2 * sum(math.log(1 + math.exp(x)) for x in (about, -about))

    def loss(point: np.ndarray) -> float:
        strength = dict(zip(names, point, strict=False))
        advantage, drawing = point[len(names) :] if with_draws else (point[-1], -np.inf)
        total = evidence(advantage)
        total += evidence(drawing - math.log(2)) if with_draws else 0.0
        mean = sum(strength.values()) / len(strength)
        total += sum(evidence(s - mean) for s in strength.values())
        for breaker, other, score in games:
            apart = strength[breaker] + advantage - strength[other]
            weights = {1.0: math.exp(apart / 2), 0.5: math.exp(drawing), 0.0: math.exp(-apart / 2)}
            total += math.log(weights[score] / sum(weights.values()))
        # Only differences of strengths matter.
        return -total + sum(strength.values()) ** 2

    start = np.zeros(len(names) + 1 + with_draws)
    best = scipy.optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x
    zero = best[names.index(anchor)]
    weight = math.exp(best[-1]) if with_draws else 0.0
    ratings = {name: ELO * (s - zero) for name, s in zip(names, best, strict=False)}
    return ratings, ELO * best[len(names)], weight / (2 + weight)


@pytest.mark.parametrize("drawing", [0.0, 0.4])
def test_known_strengths_lie_in_the_intervals_about_as_often_as_they_say(drawing: float) -> None:
    elo = {"aimer": 0.0, "weak": -450.0, "strong": 180.0, "stronger": 330.0}
    rng = np.random.default_rng(3)
    held = []
    for _ in range(40):
        rated = _rated(_simulated(elo, 70.0, drawing, 30, rng), "aimer", resamples=200)
        held += [
            rated.players[name].low <= strength <= rated.players[name].high
            for name, strength in elo.items()
            if name != "aimer"
        ]
        held.append(rated.breaking.low <= 70 <= rated.breaking.high)
        share = drawing / (2 + drawing)
        held.append(rated.draws.low <= share <= rated.draws.high)
    # 0.95 less the percentile bootstrap's loss in small samples, with binomial error.
    assert 0.89 <= np.mean(held) <= 0.99


def test_much_play_finds_the_strengths_closely() -> None:
    elo = {"aimer": 0.0, "weak": -300.0, "strong": 200.0}
    rated = _rated(_simulated(elo, 50.0, 0.3, 4000, np.random.default_rng(0)), "aimer")
    for name, strength in elo.items():
        assert rated.players[name].value == pytest.approx(strength, abs=20)
        assert rated.players[name].high - rated.players[name].low < 40
    assert rated.breaking.value == pytest.approx(50, abs=8)
    assert rated.draws.value == pytest.approx(0.3 / 2.3, abs=0.01)
    assert list(rated.players) == ["strong", "aimer", "weak"]


@pytest.mark.parametrize("drawing", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(2))
def test_the_fit_is_that_of_a_slow_optimiser(seed: int, drawing: float) -> None:
    rng = np.random.default_rng(seed)
    elo = {name: float(rng.normal(scale=250)) for name in ("aimer", "b", "c", "d")}
    pairs = _simulated(elo, rng.normal(scale=100), drawing, 6, rng)
    # Not everybody has met everybody.
    pairs = [pair for pair in pairs if {pair.one, pair.two} != {"b", "c"}]
    ratings, breaking, draws = _slow(pairs, "aimer")
    rated = _rated(pairs, "aimer", resamples=20)
    assert {n: e.value for n, e in rated.players.items()} == pytest.approx(ratings, abs=0.01)
    assert rated.breaking.value == pytest.approx(breaking, abs=0.01)
    assert rated.draws.value == pytest.approx(draws, abs=1e-4)


def test_two_players_have_a_closed_form() -> None:
    """Without draws and prior, the two games' shares are met exactly: two logits."""
    table = np.zeros((2, 2, 3))
    table[0, 1] = 31, 0, 9
    table[1, 0] = 22, 0, 18
    strengths = fit(table, prior=0.0)
    first, second = (math.log(won / lost) for won, lost in ((31, 9), (22, 18)))
    assert strengths.players[0] - strengths.players[1] == pytest.approx((first - second) / 2)
    assert strengths.breaking == pytest.approx((first + second) / 2)
    assert strengths.drawing == -np.inf
    chance = chances(strengths)
    assert chance[0, 1] == pytest.approx([31 / 40, 0, 9 / 40])
    assert chance[1, 0] == pytest.approx([22 / 40, 0, 18 / 40])


def test_two_players_with_draws_have_a_closed_form() -> None:
    """Who is as strong, without a break that tells, draws as often as was drawn."""
    table = np.zeros((2, 2, 3))
    table[0, 1] = table[1, 0] = 15, 20, 15
    strengths = fit(table, prior=0.0)
    assert strengths.players == pytest.approx([0, 0])
    assert strengths.breaking == pytest.approx(0)
    # 0.4 = w / (2 + w)
    assert np.exp(strengths.drawing) == pytest.approx(4 / 3)


def test_many_tables_are_fitted_as_each_alone() -> None:
    tables = np.random.default_rng(0).integers(0, 6, size=(5, 3, 3, 3)).astype(float)
    tables[:, range(3), range(3)] = 0
    tables[2, ..., 1] = 0  # nothing drawn
    together = fit(tables)
    for place, table in enumerate(tables):
        alone = fit(table)
        assert together.players[place] == pytest.approx(alone.players)
        assert together.breaking[place] == pytest.approx(float(alone.breaking))
        assert together.drawing[place] == pytest.approx(float(alone.drawing))


def test_chances_do_not_change_when_a_number_is_added_to_all_strengths() -> None:
    strengths = Strengths(np.array([0.3, -1.0, 2.0]), np.array(0.2), np.array(-1.0))
    moved = Strengths(strengths.players + 5, strengths.breaking, strengths.drawing)
    assert chances(moved) == pytest.approx(chances(strengths))
    assert chances(strengths).sum(axis=-1) == pytest.approx(np.ones((3, 3)))


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    elo = {"aimer": 0.0, "weak": -350.0, "strong": 200.0, "even": 30.0}
    return _simulated(elo, 60.0, 0.2, 25, np.random.default_rng(8))


def test_names_order_and_side_of_the_book_do_not_matter(pairs: list[Pair]) -> None:
    rated = _rated(pairs, "aimer")
    shuffled = [pairs[i] for i in np.random.default_rng(1).permutation(len(pairs))]
    turned = [Pair(p.two, p.one, 1 - p.replying, 1 - p.breaking) for p in shuffled]
    assert _rated(turned, "aimer") == rated
    renamed = {"aimer": "zero", "weak": "y", "strong": "a", "even": "b"}
    others = [Pair(renamed[p.one], renamed[p.two], p.breaking, p.replying) for p in pairs]
    again = _rated(others, "zero")
    for name, estimate in rated.players.items():
        other = again.players[renamed[name]]
        assert other.value == pytest.approx(estimate.value, abs=1e-6)
        # The resamples are others.
        assert other.low == pytest.approx(estimate.low, abs=25)
        assert other.high == pytest.approx(estimate.high, abs=25)


def test_the_anchor_only_shifts(pairs: list[Pair]) -> None:
    by_aimer, by_weak = _rated(pairs, "aimer"), _rated(pairs, "weak")
    shift = by_weak.players["aimer"].value
    for name, estimate in by_aimer.players.items():
        assert by_weak.players[name].value == pytest.approx(estimate.value + shift)
    zero = by_aimer.players["aimer"]
    assert (zero.value, zero.low, zero.high) == (0.0, 0.0, 0.0)
    assert by_weak.breaking == by_aimer.breaking


def test_what_depends_on_luck_within_pairs_is_in_the_intervals() -> None:
    """Starts that decide both games alike say half as much as independent games."""
    rng = np.random.default_rng(0)
    coins = rng.random((200, 2)) < 0.5
    independent = [Pair("aimer", "b", float(one), float(two)) for one, two in coins]
    bound = [Pair("aimer", "b", float(one), float(one)) for one, _ in coins]
    widths = [
        e.high - e.low for p in (independent, bound) for e in [_rated(p, "aimer").players["b"]]
    ]
    assert widths[1] / widths[0] == pytest.approx(math.sqrt(2), rel=0.12)


@pytest.mark.parametrize("starts", [5, 20, 100])
def test_who_wins_everything_gets_a_finite_rating_and_one_bound(starts: int) -> None:
    pairs = [Pair("aimer", "random", 1.0, 1.0)] * starts
    random = _rated(pairs, "aimer").players["random"]
    assert -math.inf == random.low < random.value < random.high < 0
    # Who won all n games wins with a chance of 0.025^(1 / n) at least (Clopper and Pearson).
    bound = 0.025 ** (1 / (2 * starts))
    assert 1 / (1 + 10 ** (random.high / 400)) == pytest.approx(bound, abs=0.02)
    # More of the same says more.
    assert _rated(pairs * 2, "aimer").players["random"].high < random.high


def test_bounds_follow_the_chain_of_who_conceded_to_whom() -> None:
    pairs = [
        *[Pair("aimer", "random", 1.0, 1.0)] * 4,
        *[Pair("aimer", "master", 0.0, score) for score in (0.0, 0.0, 1.0, 0.5)],
        *[Pair("god", "master", 1.0, 1.0)] * 4,
    ]
    rated = _rated(pairs, "aimer").players
    assert math.isfinite(rated["master"].low)
    assert math.isfinite(rated["master"].high)
    assert (math.isfinite(rated["god"].low), rated["god"].high) == (True, math.inf)
    assert (rated["random"].low, math.isfinite(rated["random"].high)) == (-math.inf, True)
    assert list(rated) == ["god", "master", "aimer", "random"]


@pytest.mark.parametrize(("won", "played"), [(7, 20), (1, 40), (1, 300)])
def test_what_the_likelihood_leaves_possible_has_a_closed_form(won: int, played: int) -> None:
    """Two players who won as much breaking as replying: the likelihood is a binomial's."""
    table = np.zeros((2, 2, 3))
    table[0, 1] = played - won, 0, won
    table[1, 0] = won, 0, played - won
    low, high = likely_range(table, 0, 0.95)
    share = won / played

    def fall(elo: float) -> float:
        """How much less likely, as a logarithm, it is at a rating than at the best one."""
        chance = 1 / (1 + 10 ** (-elo / 400))
        ratio = share * math.log(share / chance)
        ratio += (1 - share) * math.log((1 - share) / (1 - chance))
        return 2 * played * ratio - float(scipy.stats.chi2.ppf(0.95, 1)) / 2

    best = -400 * math.log10(1 / share - 1)
    expected = [scipy.optimize.brentq(fall, best, best + way) for way in (-2000, 2000)]
    # A faint prior is all that keeps the strengths of others finite.
    assert [ELO * low[1], ELO * high[1]] == pytest.approx(expected, abs=4)
    assert low[0] == high[0] == 0


def test_who_is_only_known_by_an_upset_is_held_as_often_as_it_says() -> None:
    elo = {"aimer": 0.0, "even": 40.0, "strong": 250.0, "hopeless": -900.0}
    rng, held = np.random.default_rng(11), []
    for _ in range(60):
        rated = _rated(_simulated(elo, -40.0, 0.0, 14, rng), "aimer", resamples=100)
        hopeless = rated.players["hopeless"]
        held.append(hopeless.low <= elo["hopeless"] <= hopeless.high)
    assert np.mean(held) >= 0.93


def test_the_order_is_that_of_openskill() -> None:
    elo = {"aimer": 0.0, "a": -500.0, "b": -150.0, "c": 200.0, "d": 450.0}
    pairs = _simulated(elo, 50.0, 0.0, 150, np.random.default_rng(5))
    model = PlackettLuce()
    skill = {name: model.rating(name=name) for name in elo}
    for place in np.random.default_rng(0).permutation(len(pairs)):
        pair = pairs[place]
        for score in (pair.breaking, pair.replying):
            teams = [[skill[pair.one]], [skill[pair.two]]]
            ((skill[pair.one],), (skill[pair.two],)) = model.rate(teams, scores=[score, 1 - score])
    order = sorted(skill, key=lambda name: -skill[name].mu)
    assert order == ["d", "c", "aimer", "b", "a"]
    assert list(_rated(pairs, "aimer").players) == order


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _rated([], "aimer"), "anchor = 'aimer': expected one of []"),
        (lambda: _rated([Pair("a", "b", 1, 0)], "aimer"), "expected one of ['a', 'b']"),
        (lambda: Pair("a", "a", 1, 0), "'a' against himself"),
        (lambda: Pair("a", "b", 2, 0), "breaking = 2: expected 1, 0.5 or 0"),
        (lambda: Pair("a", "b", 1, math.nan), "replying = nan: expected 1, 0.5 or 0"),
        (
            lambda: _rated([Pair("a", "b", 1, 0), Pair("c", "d", 1, 0), Pair("a", "e", 1, 1)], "a"),
            "a, b, e and c, d have not met, not even by way of others",
        ),
    ],
)
def test_bad_input_gets_one_clear_error(call, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        call()


def test_where_there_is_no_maximum_the_fit_says_so() -> None:
    table = np.zeros((2, 2, 3))
    table[0, 1], table[1, 0] = (5, 0, 0), (0, 0, 5)
    with pytest.raises((RuntimeError, np.linalg.LinAlgError)):
        fit(table, prior=0.0)
    assert np.all(np.isfinite(fit(table).players))
