"""The drawing scene compiled, with the discs put where a position says.

Importing this imports MuJoCo, which chooses its back end then: import it after
``carrom.render.backend`` has chosen.
"""

from __future__ import annotations

import copy
import functools

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from carrom.board import Board
from carrom.nets import EMPTY, Nets
from carrom.pieces import N_DISCS
from carrom.render.net_places import places_in_net
from carrom.render.position import as_position, checked_nets
from carrom.render.scene import OUT_OF_SIGHT, disc_name, drawing_scene
from carrom.render.style import DEFAULT_STYLE, Style


@functools.lru_cache(maxsize=2)
def _compiled(board: Board, style: Style) -> mujoco.MjModel:
    """The scene compiled, which takes longer than to copy it."""
    scene = drawing_scene(board, style)
    return mujoco.MjModel.from_xml_string(scene.xml, scene.assets)


class Stage:
    """A compiled drawing scene.

    Attributes:
        model: MuJoCo's model of the scene.
        data: the state that ``place`` writes.
    """

    def __init__(self, board: Board, style: Style = DEFAULT_STYLE) -> None:
        self.model = copy.copy(_compiled(board, style))
        self.data = mujoco.MjData(self.model)
        self._board = board
        self._slots = [
            int(self.model.body_mocapid[self.model.body(disc_name(index)).id])
            for index in range(N_DISCS)
        ]
        # Once in full, for lights and cameras; afterwards only bodies move.
        mujoco.mj_forward(self.model, self.data)

    def place(self, positions: ArrayLike, in_play: ArrayLike, nets: Nets = EMPTY) -> None:
        """Put the discs of a position where they belong and hide the others.

        Args:
            positions: (20, 2), m, board frame.
            in_play: (20,), which discs are on the board.
            nets: which are in the pockets' nets; those on neither are not drawn.

        Raises:
            BoardError: a shape is wrong, the place of a disc in play is not finite, or a disc
                is in a net and somewhere else.
        """
        points, shown = as_position(positions, in_play)
        places = np.full((N_DISCS, 3), (0.0, 0.0, OUT_OF_SIGHT))
        places[shown, :2] = points[shown]
        places[shown, 2] = 0.0
        turns = np.zeros((N_DISCS, 4))
        turns[:, 0] = 1.0
        for pocket, net in enumerate(checked_nets(nets, shown)):
            held = list(net)
            places[held], turns[held] = places_in_net(self._board, pocket, len(held))
        self.data.mocap_pos[self._slots] = places
        self.data.mocap_quat[self._slots] = turns
        mujoco.mj_kinematics(self.model, self.data)
