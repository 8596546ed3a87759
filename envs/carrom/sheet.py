"""An umpire's sheet: the strokes of an episode in words, line by line as they come.

Laws stand by their numbers, the one that was broken first. The first time a sheet cites a
law, it says below what the law is about.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

from carrom.laws import (
    LAWS,
    Event,
    MatchFormat,
    cited,
    next_break_law,
    side_with,
)
from carrom.pieces import COLOURS
from carrom.scoring import ends_episode
from carrom.sheet_wording import (
    Seating,
    decision,
    men_in_words,
    occurrence,
    placing,
    points_in_words,
    score_table,
)
from carrom.table import Stroke, Toss
from carrom.tasks import Unit

_INDENT = " " * 5
_RULING = " " * 9
_NOTE = " " * 13
_REPLAYS = ("137", "140", "142")
"""The laws by which a board is void and is played again."""
_CHANGES = ("58", "59", "60.a", "60.b")
"""The laws by which sides change."""


class Sheet:
    """What an umpire writes down; it grows with every stroke.

    Args:
        format: what is played.
        names: of the player on each seat that is taken; they may be alike.
        unit: what the episode consists of.
        toss: how the match began; None where nobody tossed.

    Raises:
        ConfigError: the names are not those of the seats that are taken.
    """

    def __init__(
        self,
        format: MatchFormat,
        names: Mapping[int, str],
        *,
        unit: Unit = Unit.MATCH,
        toss: Toss | None = None,
    ) -> None:
        self._format = format
        self._seating = Seating(format, names)
        self._unit = unit
        self._toss = toss
        self._explained: set[str] = set()
        self._last: Stroke | None = None
        self._number = 0
        self._boards: list[tuple[int, int]] = []
        self._games: list[tuple[int, int]] = []

    def heading(self) -> list[str]:
        """The lines above everything: what is played, who sits where, how to read the rest."""
        format, seating = self._format, self._seating
        boards = "" if format.board_limit is None else f" or {format.board_limit} boards"
        game = f"to {format.game_points} points{boards}"
        what = {
            Unit.STROKE: "one stroke",
            Unit.BOARD: "one board",
            Unit.GAME: f"one game {game}",
            Unit.MATCH: f"best of {2 * format.games_to_win - 1} games {game}",
        }[self._unit]
        seats = ", ".join(f"{seat} {name}" for seat, name in sorted(seating.names.items()))
        return [
            f"Umpire's sheet: {'doubles' if format.doubles else 'singles'}, {what}",
            f"{_INDENT}seats, counter-clockwise: {seats}",
            f"{_INDENT}strikes: place from the middle of the base line, direction from straight "
            "ahead, speed",
            f"{_INDENT}places of C/m: cm to the right of and beyond the centre, from the first "
            "place of seat 0",
            *self._toss_lines(),
        ]

    def entry(self, stroke: Stroke) -> list[str]:
        """The lines of the next stroke or incident, with those of what begins or ends with it."""
        lines: list[str] = []
        if self._last is None or self._last.ruling.board_over or self._last.ruling.board_replayed:
            lines += self._board_lines(stroke)
        lines.append(self._stroke_line(stroke))
        lines.append(_RULING + decision(stroke))
        lines += self._laid_lines(stroke)
        corrections = [one.breach for one in stroke.laid if one.breach is not None]
        lines += self._notes([*cited(stroke.ruling), *corrections])
        if stroke.ruling.board_over:
            lines += self._end_lines(stroke)
        self._last = stroke
        return lines

    def _notes(self, laws: Iterable[str]) -> Iterator[str]:
        """What those laws are about that the sheet has not cited before."""
        for law in laws:
            if law not in self._explained:
                self._explained.add(law)
                yield f"{_NOTE}{law:<8} {LAWS[law]}"

    def _toss_lines(self) -> list[str]:
        toss = self._toss
        if toss is None:
            return []
        laws = ("39.a", "39.b") if self._format.doubles else ("39.a",)
        choice = {None: "has to choose", True: "takes the break", False: "takes the side"}
        winner = self._seating.player(toss.winner)
        said = f"Toss: {winner} wins it and {choice[toss.takes_break]}: {', '.join(laws)}"
        return [said, *self._notes(laws)]

    def _board_lines(self, first: Stroke) -> list[str]:
        """The head of a board, before its first stroke."""
        match, seating = first.before.match, self._seating
        board, game = match.board, match.game
        sides = [side_with(colour, board, doubles=self._format.doubles) for colour in (0, 1)]
        white, black = (seating.side(int(side)) for side in sides)
        score = ", ".join(f"{seating.side(side)} {int(game.score[side])}" for side in (0, 1))
        beginning, laws = self._beginning(first)
        self._number = 0
        return [
            "",
            f"Game {int(match.game_number)}, board {int(game.board_number)}. Score: {score}",
            _INDENT + ": ".join([beginning, *laws]),
            f"{_INDENT}white {white}, black {black}: 43",
            *self._notes([*laws, "43"]),
        ]

    def _beginning(self, first: Stroke) -> tuple[str, list[str]]:
        """Who breaks, and the law that says so, if any does."""
        board, last = first.before.match.board, self._last
        breaker = self._seating.player(int(board.breaker_seat))
        if last is None:
            if board.break_done:
                return f"begun before; on the board {men_in_words(board)}", []
            if self._toss is None:
                return f"{breaker} breaks", []
            return f"{breaker} breaks", ["42" if self._toss.takes_break else "39.a"]
        if last.ruling.board_replayed:
            laws = [law for law in cited(last.ruling) if law in _REPLAYS]
            return f"{breaker} breaks, in a replay", laws
        law = next_break_law(last.after.match, format=self._format)
        assert law is not None, "no board follows the end of a match"
        return f"{breaker} breaks{', by toss' if law == '56.b' else ''}", [law]

    def _stroke_line(self, stroke: Stroke) -> str:
        number, player = "-", self._seating.player(stroke.seat)
        if int(stroke.facts.event) in (Event.SHOT, Event.EARLY_BREAK):
            self._number += 1
            number = str(self._number)
            player = "" if self._goes_on(stroke) else player
        return f"{number:>3}  {player:{self._seating.width}}  {occurrence(stroke)}"

    def _goes_on(self, stroke: Stroke) -> bool:
        """Whether the entry before tells of the same player's turn."""
        last, board = self._last, stroke.before.match.board
        return last is not None and last.seat == stroke.seat and int(board.strokes_in_turn) > 0

    def _laid_lines(self, stroke: Stroke) -> Iterator[str]:
        groups = itertools.groupby(stroke.laid, lambda one: (one.seat, int(COLOURS[one.index])))
        for (seat, _), laid in groups:
            placer = "the umpire" if seat is None else self._seating.player(seat)
            yield _RULING + placing(list(laid), placer)

    def _end_lines(self, stroke: Stroke) -> list[str]:
        """The end of a board, and of the game and the match if these end with it."""
        ruling, match, seating = stroke.ruling, stroke.after.match, self._seating
        winner = int(side_with(ruling.winner, match.board, doubles=self._format.doubles))
        points = int(ruling.points[int(ruling.winner)])
        self._boards.append((0, points) if winner else (points, 0))
        won = seating.side(winner)
        lines = [f"Board {int(match.game.board_number)} to {won}: {points_in_words(stroke)}"]
        if self._unit in (Unit.GAME, Unit.MATCH):
            score = (int(match.game.score[0]), int(match.game.score[1]))
            lines += self._table("board", "score", self._boards, score)
        if ruling.game_over:
            lines += self._game_lines(stroke)
        if ruling.sides_change and not ends_episode(self._unit, ruling):
            law = next(law for law in cited(ruling) if law in _CHANGES)
            moves = "one place to the right" if self._format.doubles else "to the other side"
            lines.append(f"Change of sides: everybody moves {moves}: {law}")
        return lines

    def _game_lines(self, stroke: Stroke) -> list[str]:
        """The end of a game, and of the match if it ends with it."""
        match, seating = stroke.after.match, self._seating
        score = (int(match.game.score[0]), int(match.game.score[1]))
        won, lost = int(match.game.winner), 1 - int(match.game.winner)
        said = f"{seating.side(won)}, {score[won]} : {score[lost]}"
        lines = [f"Game {int(match.game_number)} to {said}"]
        self._games.append(score)
        self._boards = []
        if self._unit is Unit.MATCH:
            games = (int(match.games_won[0]), int(match.games_won[1]))
            lines += self._table("game", "games", self._games, games)
            if stroke.ruling.match_over:
                lines.append(f"Match to {seating.side(won)}, {games[won]} : {games[lost]}")
        return lines

    def _table(
        self, corner: str, last: str, columns: list[tuple[int, int]], total: tuple[int, int]
    ) -> list[str]:
        heads = [str(number) for number in range(1, len(columns) + 1)]
        rows = {
            self._seating.side(side): [*(column[side] for column in columns), total[side]]
            for side in (0, 1)
        }
        return [_INDENT + line for line in score_table(corner, heads, rows, last)]
