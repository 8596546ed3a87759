"""What the umpire decides after a stroke."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from carrom.laws.state import Pair, Scalar


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Ruling:
    """The umpire's decision. Pairs are per colour; leaves as in ``carrom.laws.state``.

    Exactly one of ``turn_kept``, ``turn_lost``, ``board_over`` and ``board_replayed`` holds.

    Attributes:
        striker: int32, colour that had the turn.
        returned: int32 (2,), carrommen put back: wrongly pocketed ones and paid dues and
            penalties; jumped ones are not among them.
        returned_own: int32, of those of ``striker``, the wrongly pocketed ones.
        dues_paid: int32 (2,), dues and penalties put back.
        dues_charged: int32 (2,), dues charged for this stroke (13).
        penalties_charged: int32 (2,), penalties charged for this stroke (14).
        waived: int32 (2,), dues and penalties forfeited by the creditor (80, 87.a).
        owed: int32 (2,), dues and penalties still outstanding.
        placer_seat: int32 (2,), the seat that places the ``returned`` of each colour (78.b),
            -1 where there are none.
        queen_returned: bool, the queen goes back, placed by the umpire (93).
        replaced: int32 (2,), jumped carrommen the umpire places (65).
        queen_replaced: bool, the queen jumped and goes back (65).
        turn_kept: bool, the striking player goes on (48).
        turn_lost: bool, the turn passes.
        rebreak: bool, the break is still to be made (45).
        board_over: bool, the board has ended.
        board_replayed: bool, the board is void and will be replayed (137, 140, 142).
        winner: int32, colour that won the board, -1 if none.
        points: int32 (2,), points of this board, claims included, at most 12 (55).
        claims: int32, claimed extra points among them before the cap (87.b).
        white_slam: bool, see 27.a.
        black_slam: bool, see 27.b.
        game_over: bool, the game ends with this board (56).
        match_over: bool, the match ends with this board (57).
        sides_change: bool, the players change sides before the next board (58-60).
        breach: int32, the law that was broken, as an index into ``LAW_IDS``, -1 for none.
        laws: int32 (8,), the laws that decided and the one broken, as bits; see ``cited`` and
            ``law_mask``.
    """

    striker: Scalar
    returned: Pair
    returned_own: Scalar
    dues_paid: Pair
    dues_charged: Pair
    penalties_charged: Pair
    waived: Pair
    owed: Pair
    placer_seat: Pair
    queen_returned: Scalar
    replaced: Pair
    queen_replaced: Scalar
    turn_kept: Scalar
    turn_lost: Scalar
    rebreak: Scalar
    board_over: Scalar
    board_replayed: Scalar
    winner: Scalar
    points: Pair
    claims: Scalar
    white_slam: Scalar
    black_slam: Scalar
    game_over: Scalar
    match_over: Scalar
    sides_change: Scalar
    breach: Scalar
    laws: jax.Array
