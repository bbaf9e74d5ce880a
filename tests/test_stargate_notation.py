"""The Stargate TCG in words: texts of actions, positions as JSON, refusals, pictures."""

from __future__ import annotations

import copy
import re
from itertools import islice
from random import Random
from typing import Any

import pytest
from position_checks import (
    Change,
    Data,
    both,
    check_damaged_positions,
    check_documented_texts,
    check_reasons_together,
    check_refusal,
    check_round_trips,
    check_texts_are_inverse,
    check_what_is_no_action,
    check_what_is_no_position,
    put,
    refusal,
)
from stargate_positions import deck_with
from stargate_random import find_position, random_positions

from stargate_env.decks import official_deck
from stargate_env.machine_part import machine_fields, part_of
from stargate_env.render import render
from stargate_env.stargate_v0 import GAME
from stargate_env.state import ACTIONS
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.rng import seed_to_word
from tabletop_core.session import Session

RULESET = GAME.ruleset(decks="carter,tealc")
SET_ASIDE = GAME.ruleset(decks=(("carter", "jackson"), "tealc"))


def list_names(ruleset: Ruleset, player: int) -> list[str]:
    """The names of the cards of a player's first list."""
    return list(ruleset.tables.names[ruleset.tables.choices[player][0]])


def position(ruleset: Ruleset = RULESET, **changes: Any) -> Data:
    """Written by hand: a turn of player 0, who has two characters at the first of his missions."""
    players = []
    for player in (0, 1):
        names = list_names(ruleset, player)
        zones = {
            "play": names[:4],
            "missions": names[4:16],
            "hand": names[16:20],
            "deck": names[20:],
        }
        players.append({"power": 5, "zones": zones, "conditions": {}})
    mine = players[0]
    mine["zones"]["current"] = [mine["zones"]["missions"].pop(0)]
    mine["conditions"] = {mine["zones"]["play"][0]: "assigned", mine["zones"]["play"][1]: "stopped"}
    table = {"hero": 0, "current_player": 1, "missions_played": 1, "players": players}
    return {"table": {**table, **copy.deepcopy(changes)}}


def load(data: Data, ruleset: Ruleset = RULESET) -> Session:
    session = Session(ruleset)
    session.from_json(data)
    return session


# --- actions --------------------------------------------------------------------------------------


def test_texts_are_inverse_for_all_actions() -> None:
    check_texts_are_inverse(islice(random_positions("texts"), 0, 1_500, 300))


def test_texts_are_as_documented() -> None:
    state = GAME.state_from_json(RULESET, position())
    mine, theirs = list_names(RULESET, 1), list_names(RULESET, 0)
    texts = {
        0: "pass",
        1: "yes",
        2: "no",
        3: "done",
        ACTIONS.first("play") + 16: f"play {mine[16]}",
        ACTIONS.first("assign"): f"assign {mine[0]}",
        ACTIONS.first("boost") + 17: f"boost with {mine[17]}",
        ACTIONS.first("complicate") + 18: f"complicate with {mine[18]}",
        ACTIONS.first("use") + 3: f"use {mine[3]}",
        ACTIONS.first("own") + 4: f"choose {mine[4]}",
        ACTIONS.first("other") + 5: f"choose their {theirs[5]}",
        ACTIONS.first("own") + 135: "choose place-135",
        ACTIONS.first("slot"): "choose complication 1",
        ACTIONS.first("option") + 7: "option 8",
        ACTIONS.first("number"): "number 0",
        ACTIONS.first("revive"): "revive",
        ACTIONS.first("score"): "score",
        ACTIONS.first("let_die"): "let die",
    }
    check_documented_texts(RULESET, state, texts)


@pytest.mark.parametrize(
    "text", ["", "sing", "play BS-999.1", "PASS", "play place-3", "choose place-136", "x" * 4000]
)
def test_unknown_texts(text: str) -> None:
    state = GAME.state_from_json(RULESET, position())
    with pytest.raises(TabletopError, match="stargate_v0: .* is not an action now") as error:
        GAME.string_to_action(RULESET, state, text)
    assert "write like 'pass'" in str(error.value)
    assert len(str(error.value)) < 500


def test_no_text_and_no_action() -> None:
    state = GAME.state_from_json(RULESET, position())
    check_what_is_no_action(RULESET, state, last=ACTIONS.count - 1)


# --- positions and back ---------------------------------------------------------------------------


def test_positions_survive_the_way_through_text() -> None:
    check_round_trips(islice(random_positions("round trips"), 0, 6_000, 20))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_positions_survive(part: int) -> None:
    check_round_trips(islice(random_positions(f"round trips {part}"), 10_000))


def test_granted_texts_that_wait_survive() -> None:
    """BS-030 gives the mission a success text, which waits beside that of BS-083."""
    deck = deck_with(official_deck("carter"), "BS-030", "BS-083", "BS-099")
    ruleset = GAME.ruleset(decks=(deck, "tealc"))
    data = position(ruleset)
    player = data["table"]["players"][0]
    for name in ("BS-030.1", "BS-083.1"):
        player["zones"]["deck"].remove(name)
        player["zones"]["play"].append(name)
    player["conditions"] = dict.fromkeys(player["zones"]["play"], "assigned")
    session = load(data, ruleset)
    for _ in range(2):
        session.step(session.string_to_action("pass"))
    assert session.to_json()["table"]["prompt"] == "order_texts"
    check_round_trips([(ruleset, session.state)])


def test_attached_card_that_is_returned_lies_beneath_nothing() -> None:
    """§3.2: SL-143 returns SL-258, which lies on a character of the hero."""
    hero = deck_with(official_deck("carter"), "SL-143")
    ruleset = GAME.ruleset(decks=(hero, deck_with(official_deck("tealc"), "SL-258")))
    data = position(ruleset)
    players = data["table"]["players"]
    for player, name, zone in ((0, "SL-143.1", "play"), (1, "SL-258.1", "attached")):
        players[player]["zones"]["deck"].remove(name)
        players[player]["zones"][zone] = [*players[player]["zones"].get(zone, ()), name]
    players[1]["hosts"] = {"SL-258.1": f"0:{players[0]['zones']['play'][0]}"}
    session = load(data, ruleset)
    for text in ("pass", "use SL-143.1", "option 2"):
        session.step(session.string_to_action(text))
    player = session.to_json()["table"]["players"][1]
    assert "SL-258.1" in player["zones"]["hand"]
    assert player["hosts"] == {}


def test_glyphs_of_a_card_that_has_left_play_lie_beneath_nothing() -> None:
    """§3.2: BS-068 is destroyed to look at cards; its glyph waits until these are put back."""
    ruleset = GAME.ruleset(decks=(deck_with(official_deck("carter"), "BS-068"), "tealc"))
    data = position(ruleset)
    player = data["table"]["players"][0]
    player["zones"]["deck"].remove("BS-068.1")
    player["zones"]["play"].append("BS-068.1")
    glyph = player["zones"]["missions"].pop()
    player["zones"]["glyph"] = [glyph]
    player["hosts"] = {glyph: "0:BS-068.1"}
    session = load(data, ruleset)
    for text in ("pass", "use BS-068.1"):
        session.step(session.string_to_action(text))
    table = session.to_json()["table"]
    assert table["prompt"] == "scry"
    assert table["players"][0]["hosts"] == {}


def test_what_may_be_left_out() -> None:
    data = GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, position()))
    assert data["rng"] == f"0x{seed_to_word(0):016x}"
    assert data["ruleset"] == f"{RULESET.digest:016x}"
    table = data["table"]
    assert table["decks"] == ["carter", "tealc"]
    assert (table["first_player"], table["priority"], table["prompt"]) == (0, 1, "main")
    assert (table["failures"], table["successes"], table["complications"]) == (0, {}, [])
    assert table["winner"] is None
    assert data["turn_count"] == data["decision_count"] == 0
    assert GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, data)) == data


def test_numbers_follow_from_the_table() -> None:
    """N7, N8, §10: of the mission, of the assigned character, of the teams."""
    data = GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, position()))
    by_id = RULESET.tables.pool.by_id
    first = list_names(RULESET, 0)
    mission = by_id[first[4].partition(".")[0]]
    character = by_id[first[0].partition(".")[0]]
    numbers = data["numbers"]
    assert numbers["difficulty"] == mission.mission_difficulty
    assert numbers["hero_total"] == character.ratings[mission.mission_skill]
    values = [
        sum(by_id[name.partition(".")[0]].point_value for name in list_names(RULESET, player)[:4])
        for player in (1, 0)
    ]
    assert numbers["victory_totals"] == values
    del data["numbers"]
    assert GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, data))["numbers"] == numbers


def test_a_position_can_be_played_on() -> None:
    """§8: the villain passes, the hero assigns his third character and passes."""
    session = load(position())
    third = list_names(RULESET, 0)[2]
    for text in ("pass", f"assign {third}", "pass"):
        session.step(session.string_to_action(text))
    table = session.to_json()["table"]
    assert table["players"][0]["conditions"][third] == "assigned"
    assert (table["current_player"], table["passes"]) == (0, 1)


def test_decks_that_are_drawn_are_named() -> None:
    session = Session(SET_ASIDE)
    decks = set()
    for seed in range(20):
        session.reset(seed)
        words = session.to_json()
        decks.add(words["table"]["decks"][0])
        assert words["table"]["decks"][1] == "tealc"
        other = load(words, SET_ASIDE)
        assert other.serialize() == session.serialize()
    assert decks == {"carter", "jackson"}


def test_every_field_of_the_record_is_told() -> None:
    """§16.4: what is neither on the table nor derived has a reader of its own."""
    for players in (2, 6):
        dtype = GAME.for_players(players).state_dtype
        for field in machine_fields(dtype):
            assert part_of(field, dtype)


# --- refusals: fields -----------------------------------------------------------------------------

FIELD_REFUSALS = [
    (put("game", value="chess"), "game: 'chess' is not one of stargate_v0"),
    (put("num_players", value=4), "num_players: must be 2, not 4"),
    (put("ruleset", value="0" * 16), "played by ruleset 0000000000000000"),
    (put("rng", value="0x0"), "rng: must be"),
    (put("colour", value=1), "'colour': unknown key; known: game, "),
    (put("numbers", value=[]), "numbers: must be a dict, not a list"),
    (put("machine", value={"soul": 1}), "machine: unknown key 'soul'"),
    (put("table", "mood", value=1), "table: unknown key 'mood'"),
    (put("table", "decks", value=["carter"]), "table.decks: must list 2 players, not 1"),
    (put("table", "decks", value=["carter", "yu"]), "table.decks[1]: 'yu' is not one of tealc"),
    (put("table", "hero", value=2), "table.hero: must be a whole number from 0 to 1, not 2"),
    (put("table", "prompt", value="sing"), "table.prompt: 'sing' is not one of none"),
    (put("table", "successes", value={"luck": 1}), "table.successes: 'luck' is not a skill"),
    (put("table", "winner", value="me"), "table.winner: must be a whole number"),
    (put("table", "complications", value=["BS-001.1"]), "complications[0]: 'BS-001.1' is no card"),
    (put("table", "players", value=[{}]), "table.players: must list 2 players, not 1"),
    (put("table", "players", 0, "power", value=-1), "table.players[0].power: must be a whole"),
    (put("table", "players", 1, "zones", "space", value=[]), "zones: 'space' is not a zone"),
    (
        put("table", "players", 1, "zones", "hand", 0, value="X"),
        "zones[hand][0]: 'X' is no card of",
    ),
    (
        put("table", "players", 0, "conditions", value={"X": "stopped"}),
        "'X' is no card of player 0",
    ),
    (put("table", "players", 0, "tokens", value=[]), "players[0].tokens: must be a dict"),
    (put("turn_count", value=101), "turn_count: must be a whole number from 0 to 100, not 101"),
    (put("end_reasons", value=["boredom"]), "end_reasons[0]: 'boredom' is not one of glyphs"),
    (put("truncated", value=0), "truncated: must be true or false, not 0"),
    (put("machine", value={"phase": "sleep"}), "machine.phase: 'sleep' is not one of setup_stop"),
    (put("machine", value={"judged": "0:BS-001.1"}), "machine.judged: '0:BS-001.1' is no card of"),
    (put("machine", value={"frame_address": [-5]}), "machine.frame_address[0]: -5 is not an"),
    (put("machine", value={"frame_count": 9}), "machine.frame_count: must be a whole number"),
    (put("machine", value={"mark_card": [None] * 99}), "machine.mark_card: lists 99 entries"),
    (put("machine", value={"known": {"x": [0]}}), "machine.known: 'x' is no card of these lists"),
]


@pytest.mark.parametrize(("change", "reason"), FIELD_REFUSALS)
def test_fields_that_cannot_be_read(change: Change, reason: str) -> None:
    check_refusal(RULESET, position(), change, reason)


def test_what_is_not_a_position() -> None:
    check_what_is_no_position(RULESET)


@pytest.mark.parametrize("name", ["hero", "current_player", "players"])
def test_what_may_not_be_left_out(name: str) -> None:
    data = position()
    del data["table"][name]
    assert f"table.{name}: is missing" in refusal(RULESET, data)
    assert "table: is missing" in refusal(RULESET, {})


def test_all_reasons_are_listed_together() -> None:
    data = {**position(hero=9, prompt="sing"), "rng": 5, "colour": 1}
    check_reasons_together(RULESET, data, ["table.hero", "table.prompt", "rng", "'colour'"])


# --- refusals: rules ------------------------------------------------------------------------------


def moved(player: int, source: str, target: str, place: int = 0) -> Change:
    """Move the card in a place of a zone to another zone."""

    def change(data: Data) -> None:
        zones = data["table"]["players"][player]["zones"]
        zones.setdefault(target, []).append(zones[source].pop(place))

    return change


def dropped(player: int, zone: str) -> Change:
    """Take the first card out of a zone."""

    def change(data: Data) -> None:
        data["table"]["players"][player]["zones"][zone].pop(0)

    return change


RULE_REFUSALS = [
    (dropped(0, "hand"), "is in no zone"),
    (put("table", "players", 0, "zones", "discard", value=["BS-102.1"]), "is there 2 times"),
    (moved(0, "missions", "hand"), "zones[hand]: "),
    (moved(1, "hand", "missions"), "is no mission"),
    (moved(0, "missions", "current"), "there is more than one current mission"),
    (moved(0, "current", "discard"), "at prompt 'main' there is a current mission"),
    (put("table", "hero", value=1), "the current mission is one of the hero's"),
    (moved(0, "missions", "glyph"), "must be named"),
    (moved(1, "hand", "attached"), "table.players[1].hosts: "),
    (
        put("table", "players", 0, "hosts", value={"BS-102.1": "1:BS-102.1"}),
        "BS-102.1 lies beneath no card",
    ),
    (moved(1, "hand", "complication"), ""),
    (
        both(moved(1, "hand", "complication"), put("table", "complications", value=[])),
        "must be the cards of the zones 'complication', each once",
    ),
    (put("table", "priority", value=0), "at prompt 'main' it is the player who decides"),
    (put("table", "winner", value=0), "a game ended by rule has one, and no other game"),
    (put("end_reasons", value=["glyphs"]), "prompt: the game has ended, so it must be 'over'"),
    (put("table", "prompt", value="over"), "a game that is over has a reason, or is truncated"),
    (put("truncated", value=True), "turn_count: 0; a truncated game has 100 turns"),
    (put("turn_count", value=100), "turn_count: 100; after 100 turns a game is truncated"),
    (put("table", "prompt", value="target"), "machine.frame_count: does not fit the prompt"),
    (put("table", "prompt", value="may"), "machine.frame_count: does not fit the prompt 'may'"),
    (put("table", "prompt", value="order_texts"), "machine.pending_count: does not fit the prompt"),
    (put("table", "prompt", value="fate"), "machine.judged: does not fit the prompt 'fate'"),
    (put("table", "prompt", value="ability"), "machine.resolving: does not fit the prompt"),
    (put("table", "prompt", value="ship"), "machine.battle_winner: does not fit the prompt"),
    (put("machine", value={"phase": "power"}), "machine.phase: does not fit the prompt 'main'"),
    (put("table", "prompt", value="order_missions"), "has no missions to order"),
    (put("table", "prompt", value="discard"), "player 1 has not too many cards"),
    (put("machine", value={"current": "0:BS-102.1"}), "machine.current: is no mission"),
    (
        put("machine", value={"mark_count": 1, "mark_card": [None]}),
        "mark_card: an entry is no card",
    ),
    (put("numbers", value={"difficulty": 99}), "numbers.difficulty: 99; by the rules it is"),
    (put("numbers", value={"luck": 1}), "numbers: unknown key 'luck'; known: victory_totals"),
]


@pytest.mark.parametrize(("change", "reason"), [row for row in RULE_REFUSALS if row[1]])
def test_impossible_positions(change: Change, reason: str) -> None:
    check_refusal(RULESET, position(), change, reason)


def test_a_complication_may_be_left_out_of_the_order() -> None:
    """§8.2: one complication needs no order, and raises the difficulty by 1."""
    data = position()
    plain = GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, data))
    moved(1, "hand", "complication")(data)
    words = GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, data))
    assert words["table"]["complications"] == [f"1:{list_names(RULESET, 1)[16]}"]
    assert words["numbers"]["difficulty"] == plain["numbers"]["difficulty"] + 1


def test_the_end_of_a_game() -> None:
    """§10."""
    ruleset, data = find_position(lambda data: bool(data["end_reasons"]), decks="carter,tealc")
    GAME.state_from_json(ruleset, data)
    assert "has a reason, or is truncated" in refusal(ruleset, {**data, "end_reasons": []})
    assert "is not truncated" in refusal(ruleset, {**data, "truncated": True})
    data["table"]["winner"] = None
    assert "a game ended by rule has one" in refusal(ruleset, data)


def test_truncated_games() -> None:
    """§10: the cap on turns."""
    ruleset, data = find_position(lambda data: data["truncated"], decks="carter,tealc", max_turns=2)
    assert data["turn_count"] == 2
    GAME.state_from_json(ruleset, data)
    message = refusal(ruleset, {**data, "turn_count": 1})
    assert "turn_count: 1; a truncated game has 2 turns" in message


def test_damaged_positions_are_refused_or_can_be_played() -> None:
    rng = Random("damage")
    positions = islice(random_positions("damage"), 0, 6_000, 20)
    outcomes = check_damaged_positions(positions, rng, ("BS-102.1", "0:BS-102.1", "main", [0]))
    assert outcomes["refused"] > 100


# --- pictures -------------------------------------------------------------------------------------


def test_picture() -> None:
    state = GAME.state_from_json(RULESET, position())
    picture = render(RULESET, state, 1)
    lines = picture.splitlines()
    assert lines[0] == "Stargate TCG, turn 1 of player 0: player 1 acts or passes"
    mission = RULESET.tables.lists[0][4]
    assert lines[1].startswith(f"mission {mission.title} {mission.card_id} (")
    character = RULESET.tables.lists[0][0]
    row = next(line for line in lines if f"{character.title} {character.card_id}" in line)
    assert row.split()[:2] == ["player", "0"]
    assert "assigned" in row
    hand = [line for line in lines if line.startswith("player ")][-2:]
    assert hand[0].rstrip().endswith("4 cards")
    assert RULESET.tables.lists[1][16].title in hand[1]


def test_pictures_show_nothing_hidden() -> None:
    rng = Random("pictures")
    for ruleset, state in islice(random_positions("pictures"), 0, 1_000, 25):
        player = rng.randrange(ruleset.num_players)
        picture = render(ruleset, state, player)
        assert "\x1b" not in picture
        coloured = render(ruleset, state, player, is_coloured=True)
        assert re.sub(r"\x1b\[\d+m", "", coloured) == picture
        rows = picture.splitlines()[-ruleset.num_players :]
        for other, row in enumerate(rows):
            if other != player:
                assert re.search(r"\d+ cards?$", row)
