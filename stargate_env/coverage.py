"""Which cards the machine can play: `python -m stargate_env coverage`."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from . import opcodes as op
from .components import Card, CardPool
from .decks import OFFICIAL_DECKS, official_deck
from .program import Programs, compile_cards
from .ruleset import missing_of

_WIDTHS = {  # words of an instruction; KEEP and OPTIONS take more, by their count
    op.END: 1,
    op.SELECT: 5,
    op.REFER: 3,
    op.KEEP: 3,
    op.UNITE: 3,
    op.PUSH: 2,
    op.STORE: 2,
    op.COMPARE: 2,
    op.COUNT: 2,
    op.MEASURE: 4,
    op.DOABLE: 2,
    op.NEED: 3,
    op.GLYPH_READY: 2,
    op.JUMP: 2,
    op.JUMP_IF_NOT: 2,
    op.JUMP_IF_DONE: 2,
    op.JUMP_IF_UNDONE: 2,
    op.SET_DONE: 2,
    op.BY: 2,
    op.ASK: 2,
    op.OPTIONS: 2,
    op.CHOOSE: 3,
    op.DO: 5,
    op.ACT: 6,
    op.MODIFY: 5,
    op.GLYPHS: 4,
    op.ATTACHED_CODE: 5,
}


@dataclass(frozen=True)
class CardCoverage:
    """What the machine can do of one card."""

    card: Card
    clause_count: int
    word_count: int
    missing: tuple[str, ...]
    """What it needs and is not implemented, for example "verb GRANT"; empty if it is playable."""


def cover(pool: CardPool) -> list[CardCoverage]:
    """The coverage of every card of a pool."""
    result = []
    for card in pool.cards:
        programs = compile_cards(pool, [card])
        missing = tuple(missing_of(card, programs))
        result.append(CardCoverage(card, len(card.clauses), len(programs.code) - 1, missing))
    return result


def report(pool: CardPool, show_programs: bool = False) -> Iterator[str]:
    """The lines of the report: each card, then sums, then what is missing most."""
    cards = cover(pool)
    for item in cards:
        state = (
            "all instructions implemented"
            if not item.missing
            else "needs " + ", ".join(item.missing)
        )
        size = f"{item.clause_count} clauses, {item.word_count} words"
        yield f"{item.card}: {size}: {state}"
        if show_programs:
            yield from listing(compile_cards(pool, [item.card]))
    playable = {item.card.card_id for item in cards if not item.missing}
    yield ""
    yield f"cards compiled: {len(cards)} of {len(cards)}"
    yield f"cards with all instructions implemented: {len(playable)} of {len(cards)}"
    yield "cards exercised by scenarios: not counted yet"
    for name in OFFICIAL_DECKS:
        deck = official_deck(name)
        wanted = set(deck.team + deck.missions + deck.deck)
        yield f"deck {name}: {len(wanted & playable)} of {len(wanted)} different cards"
    yield ""
    yield "missing, by number of cards that need it:"
    counted = Counter(name for item in cards for name in item.missing)
    for name, count in counted.most_common():
        yield f"{count:5d}  {name}"


def listing(programs: Programs) -> Iterator[str]:
    """The words of programs, one instruction a line."""
    place = 1
    while place < len(programs.code):
        instruction = programs.code[place]
        width = _WIDTHS.get(instruction, 1)
        if instruction == op.KEEP:
            width += op.FILTER_WIDTH * programs.code[place + 2]
        elif instruction == op.OPTIONS:
            width += programs.code[place + 1]
        operands = programs.code[place + 1 : place + width]
        name = op.INSTRUCTION_NAMES[instruction]
        yield f"    {place:4d}  {name} {' '.join(map(str, operands))}".rstrip()
        place += width
