"""Records of the Stargate TCG: decks as lists, and choices that the others do not see."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stargate_env.decks import load_deck, official_deck
from stargate_env.stargate_v0 import GAME
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.record import (
    parse_record,
    position_digest,
    record_of,
    replay,
    to_line,
    view_record,
)
from tabletop_core.rollouts import random_records

CARD = re.compile(r"\b[A-Z]{2}-\d{3}\b")
SECRET = re.compile(r"(choose|choose their|complicate with) a card")


def rebuilt(ruleset: Ruleset) -> Ruleset:
    """The ruleset that a record's options make."""
    options = json.loads(json.dumps(GAME.options_to_json(ruleset)))
    return GAME.ruleset(ruleset.num_players, **GAME.options_from_json(options))


@pytest.fixture
def deck_files(tmp_path: Path) -> list[Path]:
    """Two of the official decks as files."""
    files = [tmp_path / "one.txt", tmp_path / "two.json"]
    files[0].write_text(official_deck("yu").to_text())
    files[1].write_text(official_deck("baal").to_json())
    return files


# --- decks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("decks", ["starters", "official", "random", "carter,yu", ["yu", "random"]])
def test_names_of_decks_stay_names(decks: Any) -> None:
    ruleset = GAME.ruleset(2, decks=decks)
    told = GAME.options_to_json(ruleset)["decks"]
    assert told == (decks if isinstance(decks, str) else ",".join(decks))
    assert rebuilt(ruleset).digest == ruleset.digest


def test_deck_files_become_lists(deck_files: list[Path]) -> None:
    """§4: a record does not need the files any more."""
    ruleset = GAME.ruleset(
        3, decks=[deck_files[0], ["carter", deck_files[1]], load_deck(deck_files[1])]
    )
    told = GAME.options_to_json(ruleset)["decks"]
    assert [len(choice) for choice in told] == [1, 2, 1]
    assert sorted(told[0][0]["team"]) == sorted(official_deck("yu").team)
    for file in deck_files:
        file.unlink()
    again = rebuilt(ruleset)
    assert again.digest == ruleset.digest
    assert again.tables.decks == ruleset.tables.decks
    assert GAME.options_to_json(again) == GAME.options_to_json(ruleset)


def test_a_pool_of_cards_is_held_as_text(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text(GAME.export_ruleset(GAME.ruleset(2).tables), encoding="utf-8")
    ruleset = GAME.ruleset(2, ruleset=path)
    path.unlink()
    assert rebuilt(ruleset).digest == ruleset.digest


@pytest.mark.parametrize("decks", [[{"team": 1}, "yu"], [["carter"], 7], {"a": 1}])
def test_damaged_decks_are_refused(decks: Any) -> None:
    with pytest.raises(TabletopError):
        GAME.ruleset(2, **GAME.options_from_json({"decks": decks}))


# --- what the others see of a decision -------------------------------------------------------


@pytest.mark.parametrize("open_lists", [True, False])
def test_the_others_read_of_no_card_that_they_do_not_see(open_lists: bool) -> None:
    """§3.1: every card in the words lies before the viewer, before the decision or after it."""
    ruleset = GAME.ruleset(2, max_turns=6, open_lists=open_lists)
    told: Counter[str] = Counter()
    for record in random_records(ruleset, 2, seed=3):
        for viewer in range(2):
            seen = view_record(record, viewer)
            views = [json.dumps(position.view) for position in seen.positions]
            for k, (position, decision) in enumerate(zip(seen.positions[1:], record.decisions)):
                if decision.player != viewer:
                    words = position.decision.words or ""
                    told["named"] += len(CARD.findall(words))
                    told["secret"] += SECRET.fullmatch(words) is not None
                    for card in CARD.findall(words):
                        assert card in views[k] + views[k + 1], (k, words)
    assert told["named"] > 10
    assert told["secret"] > 3


def test_a_complication_stays_secret() -> None:
    """§3.1: it lies face down, and only its owner knows it."""
    (record,) = random_records(GAME.ruleset(2, max_turns=6), 1, seed=3)
    found = 0
    for session, decision in zip(replay(record), record.decisions):
        if decision.words.startswith("complicate with"):
            found += 1
            assert session.action_seen(decision.action, decision.player) == decision.words
            other = 1 - decision.player
            assert session.action_seen(decision.action, other) == "complicate with a card"
    assert found > 0


@pytest.mark.parametrize("players", range(GAME.min_players, GAME.max_players + 1))
def test_a_game_of_any_number_of_players_replays(players: int) -> None:
    (record,) = random_records(GAME.ruleset(players, max_turns=2 * players), 1, seed=players)
    line = to_line(record)
    *_, session = replay(parse_record(line))  # type: ignore[arg-type]
    assert session.is_over
    assert position_digest(session) == record.final
    session.start_recording()
    session.reset(record.seed)
    for decision in record.decisions:
        session.step(decision.action)
    assert to_line(record_of(session, record.players)) == line


def test_a_game_with_own_decks_replays(deck_files: list[Path]) -> None:
    (record,) = random_records(GAME.ruleset(2, decks=deck_files, max_turns=4), 1)
    for file in deck_files:
        file.unlink()
    back = parse_record(to_line(record))
    assert back == record
    *_, session = replay(back)  # type: ignore[arg-type]
    assert session.truncated
