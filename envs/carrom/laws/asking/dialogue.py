"""The umpire at the table: asks for a position, then for stroke after stroke, and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from carrom.errors import FactsError
from carrom.laws.asking.answer import position_in_words, ruling_in_words, stroke_in_words
from carrom.laws.asking.clauses import read_clauses
from carrom.laws.asking.inquiry import read_question, read_stroke
from carrom.laws.asking.vocabulary import HELP
from carrom.laws.cases import Case
from carrom.laws.host import rule_jit
from carrom.laws.state import MatchFormat, MatchState
from carrom.laws.stroke import StrokeFacts
from carrom.pieces import N_PER_SIDE

Ask = Callable[[str], str]
"""Shows a prompt and returns the answer; raises EOFError when there are no more."""
Say = Callable[[str], None]
Said = dict[str, Any]


def _always(said: Said) -> bool:
    return True


@dataclass(frozen=True)
class _Field:
    """Something to ask for.

    Attributes:
        key: the field of ``read_clauses`` that the answer gives; not asked for if it is known.
        prompt: what is asked.
        default: what no answer is taken for.
        template: makes a clause of an answer that is none by itself.
        when: whether it is worth asking, by what was said before.
    """

    key: str
    prompt: str
    default: str
    template: str
    when: Callable[[Said], bool] = _always

    def clause(self, answer: str) -> str:
        """What was answered, as a clause.

        Raises:
            FactsError: it is not understood.
        """
        try:
            read_clauses(answer)
        except FactsError:
            clause = self.template.format(answer)
            read_clauses(clause)
            return clause
        return answer


def _doubles(said: Said) -> bool:
    return said.get("mode") == "doubles"


def _queen_gone(said: Said) -> bool:
    return not said["on_board"].get("queen")


def _racked(said: Said) -> bool:
    men = said["on_board"]
    return sum(men.values()) == 2 * N_PER_SIDE + 1 and "owed" not in said


_POSITION = (
    _Field("mode", "singles or doubles", "singles", "{}"),
    _Field("striker", "who is to play", "white", "{} to play", lambda said: not _doubles(said)),
    _Field("seat", "the seat that is to play", "0", "seat {} to play", _doubles),
    _Field("breaker_seat", "the seat that broke", "0", "seat {} broke", _doubles),
    _Field("on_board", "on board", "9 white 9 black queen", "on board {}"),
    _Field("queen", "the queen", "covered by white", "queen {}", _queen_gone),
    _Field("break_done", "the break", "to be made", "break {}", _racked),
    _Field("owed", "owed", "nobody", "owed {}", lambda said: said.get("break_done", True)),
    _Field("score", "score of white and black", "0 to 0", "score {}"),
    _Field("board_number", "board", "1", "board {}"),
)
_STROKE = (
    _Field("pocketed", "pocketed", "nothing", "pocketed {}"),
    _Field("", "anything else, such as jumped, improper, foul, touched nothing", "no", "{}"),
)


def umpire_a_board(ask: Ask, say: Say) -> None:
    """Ask for a position and for strokes, and rule on each, until the board ends.

    Each stroke is played from the position that the ruling before has left. The end of input,
    or an interrupt, ends the conversation.

    Args:
        ask: gets an answer.
        say: tells a line.
    """
    say("Enter takes what stands in brackets, ? lists what is understood.")
    try:
        case = _until_understood(_POSITION, read_question, ask, say)
        _strokes(case, ask, say)
    except (EOFError, KeyboardInterrupt):
        say("")


def _strokes(case: Case, ask: Ask, say: Say) -> None:
    state, format = case.state, case.format
    over = False
    while not over:
        say(f"position: {position_in_words(state, format)}")
        facts = _next_stroke(state, format, ask, say)
        say(f"understood: {stroke_in_words(facts)}")
        state, ruling = rule_jit(state, facts, format=format)
        for line in ruling_in_words(state, ruling, format):
            say(f"  {line}")
        over = bool(ruling.board_over | ruling.board_replayed)


def _next_stroke(state: MatchState, format: MatchFormat, ask: Ask, say: Say) -> StrokeFacts:
    return _until_understood(_STROKE, lambda text: read_stroke(text, state, format), ask, say)


def _until_understood(
    fields: Iterable[_Field], read: Callable[[str], Any], ask: Ask, say: Say
) -> Any:
    """What ``read`` makes of the answers, asked for again until they make sense together."""
    while True:
        try:
            return read(_answers(fields, ask, say))
        except FactsError as error:
            say(f"{error}; once more")


def _answers(fields: Iterable[_Field], ask: Ask, say: Say) -> str:
    text = ""
    for field in fields:
        said = read_clauses(text)
        if field.key not in said and field.when(said):
            text = _answer(field, text, ask, say)
    return text


def _answer(field: _Field, text: str, ask: Ask, say: Say) -> str:
    """``text`` and one more clause."""
    while True:
        answer = ask(f"{field.prompt} [{field.default}]: ").strip() or field.default
        if answer == "?":
            say(HELP)
        elif answer == "no":
            return text
        else:
            try:
                longer = f"{text}; {field.clause(answer)}"
                read_clauses(longer)
            except FactsError as error:
                say(str(error))
            else:
                return longer
