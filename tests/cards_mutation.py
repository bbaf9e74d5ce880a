"""Changes every clause of every card and demands that a scenario notices: `make cards-mutation`.

A mutant is a card with one clause removed or with one number of a clause changed; with `--deep`
also without one of its conditions, filters, glyph gates or durations. Nothing but its program
differs, so that the compiled kernels are used again. A mutant that no scenario of the card
notices survives, and is an error unless `scenarios/survivors.list` says why none can.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from stargate_play import play_case
from stargate_scenarios import FOLDER, Case, ScenarioFault, all_cases

from stargate_env.components import Card, CardPool, load_cards
from stargate_env.program import compile_cards
from stargate_env.ruleset import missing_of
from stargate_env.script import Action, Clause, Number, Selector, Step, nodes_of
from tabletop_core.errors import TabletopError

SURVIVORS = FOLDER / "survivors.list"
KINDS = ("number", "gates", "condition", "filter", "duration")
_SURVIVOR = re.compile(rf"((?:BS|SL|RO)-\d{{3}} clause \d+(?: ({'|'.join(KINDS)}) \d+)?): (\S.*)")

# The kind of a change, and trees of which the first that the machine takes is used.
Edit = tuple[str, list[Any]]


@dataclass(frozen=True)
class Mutant:
    """A changed card."""

    name: str
    """`BS-136 clause 2`: without that clause; `BS-136 clause 2 number 1`: with another number."""
    card: Card


def mutants_of(card: Card, is_deep: bool = False) -> Iterator[Mutant]:
    """Every mutant of a card; what cannot be changed has none.

    Deep ones also lose their glyph gates, one condition, one filter or one duration.
    """
    for place, clause in enumerate(card.clauses):
        name = f"{card.card_id} clause {place + 1}"
        before, after = card.clauses[:place], card.clauses[place + 1 :]
        yield Mutant(name, _with_clauses(card, before + after, name))
        counted: Counter[str] = Counter()
        for kind, changed in _rewritten(clause):
            if kind == "number" or is_deep:
                counted[kind] += 1
                full_name = f"{name} {kind} {counted[kind]}"
                for one in changed:
                    mutant = _with_clauses(card, (*before, one, *after), f"{full_name} {one}")
                    if _is_admissible(mutant):
                        yield Mutant(full_name, mutant)
                        break


def _edits(node: Any) -> Iterator[Edit]:
    """What can be changed in one node: the kind of change, and it in the order of preference."""
    if isinstance(node, Number):
        yield "number", [Number(node.value + 1), Number(node.value - 1)]
    elif isinstance(node, Clause):
        if node.gates:
            yield "gates", [replace(node, gates=())]
        if node.condition is not None:
            yield "condition", [replace(node, condition=None)]
    elif isinstance(node, Step) and node.condition is not None:
        yield "condition", [replace(node, condition=None)]
    elif isinstance(node, Selector):
        for k in range(len(node.filters)):
            yield "filter", [replace(node, filters=node.filters[:k] + node.filters[k + 1 :])]
    elif isinstance(node, Action) and "dur" in node.options:
        others = {key: value for key, value in node.options.items() if key != "dur"}
        yield "duration", [replace(node, options=others)]


def _rewritten(tree: Any) -> Iterator[Edit]:
    """The tree with one change, for every change in it."""
    yield from _edits(tree)
    if isinstance(tree, tuple):
        for k, item in enumerate(tree):
            for kind, changed in _rewritten(item):
                yield kind, [(*tree[:k], one, *tree[k + 1 :]) for one in changed]
    elif isinstance(tree, Mapping):
        for key, item in tree.items():
            for kind, changed in _rewritten(item):
                yield kind, [{**tree, key: one} for one in changed]
    elif is_dataclass(tree) and not isinstance(tree, type):
        for entry in fields(tree):
            for kind, changed in _rewritten(getattr(tree, entry.name)):
                yield kind, [replace(tree, **{entry.name: one}) for one in changed]


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
            survivors[match[1]] = match[3]
    return survivors


def main(arguments: list[str]) -> int:
    """Exit status 0 if exactly the listed mutants survive."""
    parser = argparse.ArgumentParser(prog="cards_mutation.py", description=__doc__)
    parser.add_argument("cards", nargs="*", help="card ids or their beginnings; all without any")
    parser.add_argument("--deep", action="store_true", help="also conditions, filters, gates ..")
    options = parser.parse_args(arguments)
    chosen = tuple(options.cards) or ("",)
    cards = [card for card in load_cards().cards if card.card_id.startswith(chosen)]
    of_card, faults = sound_cases(chosen)
    listed = {name for name in read_survivors(SURVIVORS) if name.startswith(chosen)}
    if not options.deep:
        listed = {name for name in listed if len(name.split()) == 3 or " number " in name}
    console = Console(highlight=False, markup=False)
    for fault in faults:
        console.print(f"fails without any change: {fault}", soft_wrap=True)
    total = 0
    survivors = []
    for card in track(cards, "cards", console=console):
        for mutant in mutants_of(card, options.deep):
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
