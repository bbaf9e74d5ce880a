"""Which cards the machine can play and scenarios exercise: `python -m stargate_env coverage`.

A scenario is a block of a text file whose first line names a card, its clauses (numbers from 1) and
what is shown: `BS-080 clause 1: pays two and a card to ready another Jaffa`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tabletop_core.errors import TabletopError

from . import opcodes as op
from .built_in import BUILT_IN
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
    op.TOP: 4,
    op.BENEATH: 4,
    op.HOSTS: 2,
    op.NEXT_EACH: 4,
    op.KEEP_PAYABLE: 2,
    op.COUNT_TRAITS: 3,
    op.RESERVE_SOME: 2,
    op.JUMP: 2,
    op.JUMP_IF_NOT: 2,
    op.JUMP_IF_DONE: 2,
    op.JUMP_IF_UNDONE: 2,
    op.SET_DONE: 2,
    op.BY: 2,
    op.ASK: 2,
    op.ABLE: 3,
    op.PLAY_CARDS: 2,
    op.OPTIONS: 2,
    op.CHOOSE: 3,
    op.DO: 5,
    op.ACT: 6,
    op.MODIFY: 5,
    op.GLYPHS: 4,
    op.ATTACHED_CODE: op.ATTACHED_WIDTH,
}


SCENARIO_HEADER: Final = re.compile(r"((?:BS|SL|RO)-\d{3}) (no text|clauses?( \d+)+): (\S.*)")
NO_TEXT: Final = 0  # in the place of a clause: the scenario of a card without text

# Card id -> clause (from 1, or NO_TEXT) -> number of scenarios.
ScenarioCounts = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True)
class CardCoverage:
    """What the machine can do of one card, and what scenarios show of it."""

    card: Card
    word_count: int
    missing: tuple[str, ...]
    """What it needs and is not implemented, for example "verb GRANT"; empty if it is playable."""
    scenarios: tuple[int, ...]
    """[clause] number of scenarios; of a card without text one entry."""

    @property
    def is_exercised(self) -> bool:
        """Whether every clause has a scenario."""
        return all(self.scenarios)

    def __str__(self) -> str:
        needs = ", ".join(self.missing)
        state = f"needs {needs}" if needs else "all instructions implemented"
        count = len(self.card.clauses)
        bare = [str(k) for k, number in enumerate(self.scenarios, 1) if not number]
        shown = "scenarios " + "+".join(map(str, self.scenarios))
        if bare:
            shown += f", none for clause {', '.join(bare)}" if count else ", none"
        return f"{self.card}: {count} clauses, {self.word_count} words: {state}; {shown}"


def count_scenarios(folder: Path) -> ScenarioCounts:
    """The scenarios in the text files of a folder.

    Raises:
        TabletopError: there is no such folder.
    """
    if not folder.is_dir():
        raise TabletopError(
            f"{folder} is no folder: name that of the scenarios, which is tests/scenarios of the "
            "repository and not part of the installed package"
        )
    counts: dict[str, Counter[int]] = {}
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            match = SCENARIO_HEADER.match(line)
            if match:
                words = match[2].split()[1:]
                clauses = [NO_TEXT] if words == ["text"] else [int(word) for word in words]
                counts.setdefault(match[1], Counter()).update(clauses)
    return counts


def cover(pool: CardPool, counts: ScenarioCounts) -> list[CardCoverage]:
    """The coverage of every card of a pool."""
    result = []
    for card in pool.cards:
        programs = compile_cards(pool, [card])
        missing = tuple(missing_of(card, programs))
        of_card = counts.get(card.card_id, {})
        clauses = range(1, len(card.clauses) + 1) or [NO_TEXT]
        scenarios = tuple(of_card.get(clause, 0) for clause in clauses)
        result.append(CardCoverage(card, len(programs.code) - len(BUILT_IN), missing, scenarios))
    return result


def report(pool: CardPool, cards: list[CardCoverage], show_programs: bool = False) -> Iterator[str]:
    """The lines of the report: each card, then sums, then what is missing most."""
    for item in cards:
        yield str(item)
        if show_programs:
            yield from listing(compile_cards(pool, [item.card]))
    playable = {item.card.card_id for item in cards if not item.missing}
    exercised = sum(item.is_exercised for item in cards)
    clauses = [count for item in cards if item.card.clauses for count in item.scenarios]
    yield ""
    yield f"cards compiled: {len(cards)} of {len(cards)}"
    yield f"cards with all instructions implemented: {len(playable)} of {len(cards)}"
    yield f"cards with a scenario for every clause: {exercised} of {len(cards)}"
    yield f"clauses with a scenario: {sum(count > 0 for count in clauses)} of {len(clauses)}"
    for name in OFFICIAL_DECKS:
        deck = official_deck(name)
        wanted = set(deck.team + deck.missions + deck.deck)
        yield f"deck {name}: {len(wanted & playable)} of {len(wanted)} different cards"
    counted = Counter(name for item in cards for name in item.missing)
    if counted:
        yield ""
        yield "missing, by number of cards that need it:"
    for name, count in counted.most_common():
        yield f"{count:5d}  {name}"


def listing(programs: Programs) -> Iterator[str]:
    """The words of programs, one instruction a line."""
    place = len(BUILT_IN)
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
