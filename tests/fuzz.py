"""Feeds damaged files and texts to everything that reads them, guided by coverage: `make fuzz`.

    python tests/fuzz.py                            # every target for a minute
    python tests/fuzz.py deck --seconds 600
    python tests/fuzz.py deck --input crash-...     # one input again

What is read is accepted or refused with the exception of the package; everything else, and a change
of the state by what was refused, ends the run with the input in a file `crash-...`. Inputs begin
as real files, of which a corpus is kept from run to run in the folder `--corpus`.
"""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

import atheris
from rich.console import Console

from tabletop_core import jit

PACKAGES = ("tabletop_core", "jumpgate_env", "junkorbit_env", "stargate_env")


def modules_with_kernels() -> Iterator[str]:
    """Numba compiles the bytecode that it finds, so these are not instrumented."""
    for package in PACKAGES:
        root = jit._source_root(package)
        assert root is not None
        for path in root.rglob("*.py"):
            if jit._has_kernels(path):
                yield ".".join(path.relative_to(root.parent).with_suffix("").parts)


with atheris.instrument_imports(include=list(PACKAGES), exclude=list(modules_with_kernels())):
    from stargate_env.components import load_cards
    from stargate_env.decks import (
        check_deck,
        deck_from_csv,
        deck_from_json,
        official_deck,
        parse_deck,
    )
    from stargate_env.script import parse_effect
    from tabletop_core.bots import make_bot
    from tabletop_core.errors import TabletopError
    from tabletop_core.game import find_game
    from tabletop_core.policy import load_policy
    from tabletop_core.record import GameRecord, parse_record, replay, to_line
    from tabletop_core.rollouts import random_records
    from tabletop_core.session import Session
    from tabletop_core.table_file import FileText

from test_policy_bots import random_policy  # noqa: E402 - imports what is instrumented first

SECONDS: Final = 60
GAMES: Final = ("jumpgate", "junkorbit", "stargate")
PLAYED: Final = 25  # decisions before a position that is a seed
LONGEST: Final = 1 << 16  # bytes of an input


@dataclass(frozen=True)
class Target:
    """Something that reads what others have written."""

    read: Callable[[bytes], object]
    """Accepts an input or raises TabletopError; anything else is an error."""
    seeds: Callable[[], Iterator[bytes]]
    """Real inputs."""


# --- readers ---------------------------------------------------------------------------------


def text_of(data: bytes) -> str:
    """Any input as text; what is no UTF-8 is kept as lone surrogates, which no file may hold."""
    return data.decode(errors="surrogateescape")


@functools.cache
def session(game: str) -> Session:
    """A game after some decisions."""
    session = Session(find_game(game).ruleset())
    session.reset(1)
    for _ in range(PLAYED):
        session.step(session.legal_actions()[-1])
    return session


def unchanged_if_refused(game: str, read: Callable[[Session], object]) -> None:
    """What is refused leaves the position alone, what is accepted is a position."""
    start = session(game)
    copy = start.clone()
    try:
        read(copy)
    except TabletopError:
        assert copy.serialize() == start.serialize()
        raise
    assert copy.is_over or copy.legal_actions()
    again = start.clone()
    again.from_json(json.loads(json.dumps(copy.to_json())))
    assert again.to_json() == copy.to_json()


def read_position(game: str, data: bytes) -> None:
    try:
        words = json.loads(data)
    except (ValueError, RecursionError):
        return
    unchanged_if_refused(game, lambda copy: copy.from_json(words))


def read_bytes(game: str, data: bytes) -> None:
    unchanged_if_refused(game, lambda copy: copy.deserialize(data))


def read_action(game: str, data: bytes) -> None:
    action = session(game).string_to_action(text_of(data))
    assert session(game).string_to_action(session(game).action_to_string(action)) == action


def read_ruleset(game: str, data: bytes) -> None:
    ruleset = find_game(game).ruleset(ruleset=FileText(text_of(data)))
    copy = Session(ruleset)
    copy.reset(1)
    assert copy.is_over or copy.legal_actions()


def read_deck(data: bytes) -> None:
    text = text_of(data)
    for read in (parse_deck, deck_from_csv, deck_from_json):
        try:
            check_deck(read(text))
        except TabletopError:
            continue


def read_script(data: bytes) -> None:
    parse_effect(text_of(data))


def read_record(data: bytes) -> None:
    record = parse_record(data)
    if isinstance(record, GameRecord):
        for _ in replay(record):
            pass


def read_policy(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(data)
        file.flush()
        load_policy(file.name)


def read_bot(data: bytes) -> None:
    make_bot(text_of(data))


# --- real inputs -----------------------------------------------------------------------------


def position_seeds(game: str) -> Iterator[bytes]:
    yield json.dumps(session(game).to_json()).encode()


def bytes_seeds(game: str) -> Iterator[bytes]:
    yield session(game).serialize()


def action_seeds(game: str) -> Iterator[bytes]:
    played = session(game)
    for action in range(0, played.game.actions.count, 7):
        yield played.action_to_string(action).encode()


def ruleset_seeds(game: str) -> Iterator[bytes]:
    yield (files(f"{game}_env") / "data" / "default.ruleset").read_bytes()


def deck_seeds() -> Iterator[bytes]:
    deck = official_deck("carter")
    for text in (deck.to_text(), deck.to_csv(), deck.to_json()):
        yield text.encode()


def script_seeds() -> Iterator[bytes]:
    for card in load_cards().cards[::5]:
        yield card.effect.encode()


def record_seeds() -> Iterator[bytes]:
    for record in random_records(find_game("jumpgate").ruleset(max_turns=2), 2):
        yield to_line(record)


def policy_seeds() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.npz"
        random_policy(find_game("jumpgate").ruleset()).save(path)
        yield path.read_bytes()


def bot_seeds() -> Iterator[bytes]:
    yield from (b"random", b"rule", b"mcts:simulations=20,trees=2", b"policy:x.npz,temperature=1")


def of_game(
    read: Callable[[str, bytes], object], seeds: Callable[[str], Iterator[bytes]], game: str
) -> Target:
    return Target(functools.partial(read, game), functools.partial(seeds, game))


BY_GAME: Final = {
    "position": (read_position, position_seeds),
    "bytes": (read_bytes, bytes_seeds),
    "action": (read_action, action_seeds),
}
TARGETS: Final[dict[str, Target]] = {
    **{
        f"{name}_{game}": of_game(read, seeds, game)
        for name, (read, seeds) in BY_GAME.items()
        for game in GAMES
    },
    "ruleset_jumpgate": of_game(read_ruleset, ruleset_seeds, "jumpgate"),
    "ruleset_junkorbit": of_game(read_ruleset, ruleset_seeds, "junkorbit"),
    "deck": Target(read_deck, deck_seeds),
    "script": Target(read_script, script_seeds),
    "record": Target(read_record, record_seeds),
    "policy": Target(read_policy, policy_seeds),
    "bot": Target(read_bot, bot_seeds),
}


# --- the program -----------------------------------------------------------------------------


def main() -> int:
    """Fuzz the chosen targets, each in a process of its own; 1 if an input was found."""
    given = arguments()
    if unknown := set(given.targets) - set(TARGETS):
        sys.exit(
            f"no target is called {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}"
        )
    if given.one is not None:
        fuzz(given.one, given)
    found = [name for name in given.targets if not run(name, given)]
    told = f"{len(given.targets)} targets, {given.seconds} s each"
    Console().print(f"{told}; found: {', '.join(found) or 'none'}", markup=False)
    return bool(found)


def run(name: str, given: argparse.Namespace) -> bool:
    """Fuzz one target in a process; whether nothing was found."""
    command = [sys.executable, __file__, "--one", name, "--seconds", str(given.seconds)]
    command += ["--corpus", str(given.corpus)]
    if given.input:
        command += ["--input", str(given.input)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    is_clean = result.returncode == 0
    runs = [line for line in result.stderr.splitlines() if line.startswith("Done ")]
    told = runs[-1] if is_clean and runs else result.stderr[-3000:]
    Console().print(f"{name}: {told}", markup=False)
    return is_clean


def fuzz(name: str, given: argparse.Namespace) -> None:
    """Hand the process over to the fuzzer, which ends it."""
    target = TARGETS[name]
    corpus = given.corpus / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    inputs = [str(given.input)] if given.input else [str(corpus)]
    options = [f"-max_total_time={given.seconds}", f"-max_len={LONGEST}", "-timeout=20"]
    atheris.Setup([__file__, *options, *inputs], functools.partial(refuse_or_accept, target))
    atheris.Fuzz()


def refuse_or_accept(target: Target, data: bytes) -> None:
    try:
        target.read(data)
    except TabletopError as error:
        assert str(error).strip()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Feed damaged inputs to everything that reads.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", default=list(TARGETS))
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for each target")
    parser.add_argument("--corpus", type=Path, default=Path(".fuzz"), help="folder of the corpus")
    parser.add_argument("--input", type=Path, help="read this one input")
    parser.add_argument("--one", choices=TARGETS, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
