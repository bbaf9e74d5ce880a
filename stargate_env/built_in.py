"""The programs that every RULES record begins with: what the rules themselves do to cards.

They are run by frames like the texts of cards (`frames.push_deed`), so that texts can put something
else in their place (§8.3).
"""

from typing import Final

from . import opcodes as op

_END: Final = [op.END]


def _do(verb: str, flags: int = 0) -> list[int]:
    return [op.DO, op.VERB_NUMBERS[verb], 0, flags, 0]


def _then(place: int, first: list[int], jump: int, second: list[int]) -> list[int]:
    """`first`, then `second` unless the jump leads to the end."""
    end = place + len(first) + 2 + len(second)
    return [*first, jump, end, *second, *_END]


STOP_PROGRAM: Final = 1
_STOP: Final = [*_do("STOP"), *_END]
DESTROY_PROGRAM: Final = STOP_PROGRAM + len(_STOP)
_DESTROY: Final = [*_do("DESTROY"), *_END]
INCAP_PROGRAM: Final = DESTROY_PROGRAM + len(_DESTROY)
_INCAP: Final = [*_do("INCAP"), *_END]
# An adversary that is not destroyed after all leaves the mission, stopped (§9.4).
LET_DIE_PROGRAM: Final = INCAP_PROGRAM + len(_INCAP)
_LET_DIE: Final = _then(
    LET_DIE_PROGRAM, _do("DESTROY"), op.JUMP_IF_DONE, _do("STOP", op.DO_AS_COST)
)
REVIVE_PROGRAM: Final = LET_DIE_PROGRAM + len(_LET_DIE)
_REVIVE: Final = _then(REVIVE_PROGRAM, _do("PAY_REVIVE"), op.JUMP_IF_UNDONE, _do("REVIVE_NOW"))

# Whether a text is used that is not mandatory.
OFFER_PROGRAM: Final = REVIVE_PROGRAM + len(_REVIVE)
_OFFER: Final = [op.ASK, OFFER_PROGRAM + 3, *_END, op.SET_DONE, 0, *_END]

BUILT_IN: Final = (*_END, *_STOP, *_DESTROY, *_INCAP, *_LET_DIE, *_REVIVE, *_OFFER)


def _entries() -> frozenset[int]:
    """Where the instructions of the built-in programs begin."""
    widths = {op.END: 1, op.DO: op.DO_WIDTH, op.ASK: 2, op.SET_DONE: 2}
    widths |= {op.JUMP_IF_DONE: 2, op.JUMP_IF_UNDONE: 2}
    places = {0}
    while (place := max(places) + widths[BUILT_IN[max(places)]]) < len(BUILT_IN):
        places.add(place)
    return frozenset(places)


BUILT_IN_ENTRIES: Final = _entries()
