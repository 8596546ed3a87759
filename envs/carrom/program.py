"""How the project's programs end: an error is one line, a closed pipe is nothing to speak of."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from carrom.errors import CarromError

BAD_INPUT = 2
"""Exit status after an error, the same as after a bad option."""
PIPE_CLOSED = 141
"""Exit status that a shell shows for a program that SIGPIPE has ended."""


def run(name: str, work: Callable[[], int]) -> int:
    """Do a program's work.

    Args:
        name: of the program, said before an error.
        work: returns the exit status.

    Returns:
        The exit status: that of ``work``, ``BAD_INPUT`` after an error of this package, told
        in one line on standard error, or ``PIPE_CLOSED`` when whoever read the output, such
        as ``head``, has stopped reading.
    """
    try:
        status = work()
        # What is still buffered would otherwise fail only while the interpreter shuts down.
        print(end="", flush=True)
    except CarromError as error:
        print(f"{name}: {in_one_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The rest of the buffer has to go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    return status


def in_one_line(text: str) -> str:
    """The text with what would break the line, or steer a terminal, escaped as in Python."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
