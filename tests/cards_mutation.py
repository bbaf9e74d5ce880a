"""Changes every clause of every card and demands that a scenario notices: `make cards-mutation`.

A mutant is a card with one clause removed or with one number of a clause changed; nothing but its
program differs, so that the compiled kernels are used again. A mutant that no scenario of the card
notices survives, and is an error unless `scenarios/survivors.list` says why none can.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from stargate_play import play_case
from stargate_scenarios import FOLDER, Case, ScenarioFault, all_cases

from stargate_env.components import Card, CardPool, load_cards
from stargate_env.program import compile_cards
from stargate_env.ruleset import missing_of
from stargate_env.script import Clause, Number, nodes_of
from tabletop_core.errors import TabletopError

SURVIVORS = FOLDER / "survivors.list"
_SURVIVOR = re.compile(r"((?:BS|SL|RO)-\d{3} clause \d+(?: number \d+)?): (\S.*)")


@dataclass(frozen=True)
class Mutant:
    """A changed card."""

    name: str
    """`BS-136 clause 2`: without that clause; `BS-136 clause 2 number 1`: with another number."""
    card: Card


def mutants_of(card: Card) -> Iterator[Mutant]:
    """Every mutant of a card; numbers that cannot be changed have none."""
    for place, clause in enumerate(card.clauses):
        name = f"{card.card_id} clause {place + 1}"
        others = card.clauses[:place] + card.clauses[place + 1 :]
        yield Mutant(name, _with_clauses(card, others, name))
        for k in range(_number_count(clause)):
            mutant = _with_number_changed(card, place, k, f"{name} number {k + 1}")
            if mutant is not None:
                yield mutant


def _number_count(clause: Clause) -> int:
    return sum(isinstance(node, Number) for node in nodes_of(clause))


def _with_number_changed(card: Card, place: int, number: int, name: str) -> Mutant | None:
    """The k-th number of a clause one higher, or lower if the machine does not take that."""
    for change in (1, -1):
        clause = _changed(card.clauses[place], number, change)
        clauses = (*card.clauses[:place], clause, *card.clauses[place + 1 :])
        mutant = _with_clauses(card, clauses, f"{name} {change}")
        if _is_admissible(mutant):
            return Mutant(name, mutant)
    return None


def _changed(tree: Any, number: int, change: int) -> Any:
    """The tree with its k-th number changed."""
    order = count()

    def rebuilt(node: Any) -> Any:
        if isinstance(node, Number):
            return Number(node.value + change) if next(order) == number else node
        if isinstance(node, tuple):
            return tuple(rebuilt(item) for item in node)
        if isinstance(node, Mapping):
            return {key: rebuilt(value) for key, value in node.items()}
        if is_dataclass(node) and not isinstance(node, type):
            parts = {entry.name: rebuilt(getattr(node, entry.name)) for entry in fields(node)}
            return replace(node, **parts)
        return node

    return rebuilt(tree)


def _with_clauses(card: Card, clauses: tuple[Clause, ...], name: str) -> Card:
    mutant = replace(card, effect=f"mutant {name}")
    mutant.__dict__["clauses"] = clauses  # what the effect is parsed to
    return mutant


def _is_admissible(card: Card) -> bool:
    if any(isinstance(node, Number) and node.value < 0 for node in nodes_of(card.clauses)):
        return False
    pool = CardPool("mutant", (card,))
    try:
        return not missing_of(card, compile_cards(pool, [card]))
    except (TabletopError, AssertionError):
        return False


def survives(mutant: Mutant, cases: list[Case]) -> bool:
    """Whether no scenario of the card notices that it is another one."""
    for case in cases:
        try:
            play_case(case, {mutant.card.card_id: mutant.card})
        except ScenarioFault:
            return False
    return True


def sound_cases(chosen: tuple[str, ...]) -> tuple[dict[str, list[Case]], list[ScenarioFault]]:
    """Card -> its cases that hold for the card as it is; what is wrong with the others."""
    of_card: dict[str, list[Case]] = {}
    faults = []
    for case in all_cases():
        if case.card_id.startswith(chosen):
            try:
                play_case(case)
                of_card.setdefault(case.card_id, []).append(case)
            except ScenarioFault as fault:
                faults.append(fault)
    return of_card, faults


def read_survivors(path: Path) -> dict[str, str]:
    """Mutant -> why no scenario can notice it."""
    survivors = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            match = _SURVIVOR.fullmatch(line)
            if match is None:
                sys.exit(f"{path.name}:{number}: not '<card> clause <n> [number <k>]: <reason>'")
            survivors[match[1]] = match[2]
    return survivors


def main(arguments: list[str]) -> int:
    """Exit status 0 if exactly the listed mutants survive."""
    parser = argparse.ArgumentParser(prog="cards_mutation.py", description=__doc__)
    parser.add_argument("cards", nargs="*", help="card ids or their beginnings; all without any")
    options = parser.parse_args(arguments)
    chosen = tuple(options.cards) or ("",)
    cards = [card for card in load_cards().cards if card.card_id.startswith(chosen)]
    of_card, faults = sound_cases(chosen)
    listed = {name for name in read_survivors(SURVIVORS) if name.startswith(chosen)}
    console = Console(highlight=False, markup=False)
    for fault in faults:
        console.print(f"fails without any change: {fault}", soft_wrap=True)
    total = 0
    survivors = []
    for card in track(cards, "cards", console=console):
        for mutant in mutants_of(card):
            total += 1
            if survives(mutant, of_card.get(card.card_id, [])):
                survivors.append(mutant.name)
                if mutant.name not in listed:
                    console.print(f"{mutant.name} survives: {card.effect}", soft_wrap=True)
    for name in sorted(listed - set(survivors)):
        console.print(f"{name} is listed in {SURVIVORS.name} but does not survive")
    clauses = sum(len(card.clauses) for card in cards)
    console.print(f"{clauses} clauses, {total} mutants, {len(survivors)} survivors")
    console.print(f"of these {len(listed & set(survivors))} are listed with a reason")
    return 0 if listed == set(survivors) and not faults else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
