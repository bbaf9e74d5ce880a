"""Junk Orbit in words: texts of actions, positions as JSON, refusals, pictures."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Any

import pytest
from junkorbit_positions import find_position, random_positions, with_seeded_cities
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
    check_what_is_required,
    put,
    refusal,
)

from junkorbit_env.junkorbit_v0 import GAME
from junkorbit_env.render import render
from tabletop_core.errors import TabletopError
from tabletop_core.game import Ruleset
from tabletop_core.rng import seed_to_word
from tabletop_core.session import Session

RULESET = GAME.ruleset(3)
SIDE_A = GAME.ruleset(3, ship_powers="A")
SIDE_B = GAME.ruleset(3, ship_powers="B")


def position(ruleset: Ruleset = RULESET, **changes: Any) -> Data:
    """§12 T1, written by hand: player 0 on Kepler, player 1 on Copernicus, three turns played."""
    data = {
        "ships": ["Kepler", "Copernicus", "Cairo"],
        "cities": {"Copernicus": ["M21"], "Tharsis": ["R20", "R21"]},
        "cargo": [
            ["E24", "E30", "R37", "R38", "S01", "S02", "S11"],  # 4 to Tharsis, three to Hamilton
            ["M03", "S03", "S04", "S12"],
            ["R10", "R11", "S05", "S06", "S13"],
        ],
        "deliveries": [[], ["E01"], ["E02"]],
        "turn_player": 0,
    }
    return {**with_seeded_cities(ruleset, data), **copy.deepcopy(changes)}


# --- actions --------------------------------------------------------------------------------------


def test_texts_are_inverse_for_all_actions() -> None:
    check_texts_are_inverse(islice(random_positions("texts"), 0, 3_000, 60))


def hit_position(**changes: Any) -> Data:
    """§12 T1 (b): the 4 to Tharsis has landed on Copernicus, and player 1 is hit."""
    data = position(
        prompt="hit",
        launch={"tile": "E24", "heading": "clockwise", "landing": "Copernicus"},
        hit_cause="launch",
        victim=1,
    )
    data["cargo"][0].remove("E24")
    data["cities"]["Copernicus"].append("E24")
    return {**data, **copy.deepcopy(changes)}


def test_texts_are_as_documented() -> None:
    state = GAME.state_from_json(RULESET, position())
    kinds = RULESET.tables.kinds
    texts = {
        0: "launch 1 starter",
        kinds.index("4 to Tharsis"): "launch 4 to Tharsis",
        len(kinds): f"launch tile kind {len(kinds)} (not in this ruleset)",
        115: "drop 1 starter from deliveries",
        230: "clockwise, land on Kilimanjaro",
        230 + 28 + 27: "counter-clockwise, land on Deimos-2",
        286 + 2: "move to New York",
        314 + 8: "beam from Cairo",
        342: "keep the rest",
    }
    check_documented_texts(RULESET, state, texts)


PROMPT_TEXTS = {
    "hit": ("drop 1 starter from cargo", "drop 1 starter from deliveries", "ignore the hit"),
    "aim": ("make player 1 drop 1 starter", "drop 1 starter from deliveries", "keep the rest"),
    "payback": ("drop 1 starter from cargo", "drop 1 starter from deliveries", "keep the rest"),
    "deliver": ("deliver 1 starter", "drop 1 starter from deliveries", "keep the rest"),
    "beam": ("launch 1 starter", "drop 1 starter from deliveries", "beam nothing"),
    "beam_tile": ("beam 1 starter", "drop 1 starter from deliveries", "keep the rest"),
}


@pytest.mark.parametrize("prompt", list(PROMPT_TEXTS))
def test_texts_go_by_the_prompt(prompt: str) -> None:
    state = GAME.state_from_json(RULESET, hit_position())
    state[0].prompt = GAME.prompts.index(prompt)
    texts = tuple(GAME.action_to_string(RULESET, state, action) for action in (0, 115, 342))
    assert texts == PROMPT_TEXTS[prompt]


@pytest.mark.parametrize("text", ["", "sing", "launch 4 to Rome", "LAUNCH 1 starter", "x" * 4000])
def test_unknown_texts(text: str) -> None:
    state = GAME.state_from_json(RULESET, position())
    with pytest.raises(TabletopError, match="junkorbit_v0: .* is not an action now") as error:
        GAME.string_to_action(RULESET, state, text)
    assert "write like 'launch 1 starter'" in str(error.value)
    assert len(str(error.value)) < 500


def test_no_text_and_no_action() -> None:
    check_what_is_no_action(RULESET, GAME.state_from_json(RULESET, position()), last=342)


# --- positions and back ---------------------------------------------------------------------------


def test_positions_survive_the_way_through_text() -> None:
    check_round_trips(islice(random_positions("round trips"), 0, 12_000, 6))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_positions_survive(part: int) -> None:
    check_round_trips(islice(random_positions(f"round trips {part}"), 20_000))


def test_what_may_be_left_out() -> None:
    data = GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, position()))
    assert data["rng"] == f"0x{seed_to_word(0):016x}"
    assert data["ruleset"] == f"{RULESET.digest:016x}"
    assert data["prompt"] == "launch"
    assert data["launch"] is data["powers"] is data["victim"] is data["hit_cause"] is None
    assert data["current_player"] == 0
    assert data["turn_count"] == data["decision_count"] == data["final_turns_left"] == 0
    piles = [*data["cities"].values(), *data["cargo"], *data["deliveries"]]
    named = {tile for pile in piles for tile in pile}
    stacks = {tile for pile in data["stacks"].values() for tile in pile}
    assert named.isdisjoint(stacks)
    assert len(named) + len(stacks) == 103 + 9
    assert GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, data)) == data


def test_a_position_can_be_played_on() -> None:
    """§12 T1: (a) remote delivery, then Hamilton with two direct deliveries."""
    session = Session(RULESET)
    session.from_json(position())
    session.step(session.string_to_action("launch 4 to Tharsis"))
    landings = [session.action_to_string(action) for action in session.legal_actions()]
    assert landings == [
        "clockwise, land on Copernicus",
        "clockwise, land on Tharsis",
        "counter-clockwise, land on New York",
        "counter-clockwise, land on Hamilton",
    ]
    session.step(session.string_to_action("clockwise, land on Tharsis"))
    assert session.to_json()["deliveries"][0] == ["E24"]
    session.step(session.string_to_action("move to Hamilton"))
    for text in ("deliver 2 to Hamilton", "deliver 2 to Hamilton", "keep the rest"):
        session.step(session.string_to_action(text))
    data = session.to_json()
    assert data["deliveries"][0] == ["E24", "E30", "R37"]
    assert data["turn_player"] == 1
    assert len(data["cities"]["Hamilton"]) == 1


# --- refusals: fields -----------------------------------------------------------------------------

FIELD_REFUSALS = [
    ({"game": "chess"}, "game: 'chess' is not one of junkorbit_v0"),
    ({"num_players": 4}, "num_players: must be 3, not 4"),
    ({"ruleset": "0" * 16}, "played by ruleset 0000000000000000"),
    ({"rng": "0x0"}, "rng: must be"),
    ({"colour": 1}, "'colour': unknown key; known: game, "),
    ({"ships": ["Kepler"]}, "ships: must list 3 players, not 1"),
    ({"ships": ["Kepler", "Rome", "Cairo"]}, "ships[1]: 'Rome' is not one of Kilimanjaro"),
    ({"powers": ["S1", "S2", "S6"]}, "powers[2]: 'S6' is not one of S1"),
    ({"cities": []}, "cities: must be a dict, not a list"),
    ({"cities": {"Rome": []}}, "cities: 'Rome' is not a city"),
    ({"cities": {"Cairo": ["E99"]}}, "cities[Cairo][0]: 'E99' is not a tile"),
    ({"cargo": [["E01", "E01"], [], []]}, "cargo[0]: E01 is listed twice"),
    ({"cargo": [None, [], []]}, "cargo[0]: must be a list, not null"),
    ({"stacks": {"VENUS": []}}, "stacks: 'VENUS' is not a stack"),
    ({"turn_player": 3}, "turn_player: must be a whole number from 0 to 2, not 3"),
    ({"turn_player": None}, "turn_player: must be a whole number from 0 to 2, not null"),
    ({"current_player": True}, "current_player: must be a whole number from 0 to 2, not true"),
    ({"prompt": "sing"}, "prompt: 'sing' is not one of launch, land"),
    ({"launch": "E01"}, "launch: must be null or a dict"),
    ({"launch": {}}, "launch.tile: is missing"),
    ({"launch": {"tile": "E01", "heading": "up"}}, "launch.heading: 'up' is not one of clockwise"),
    ({"launch": {"tile": "E01", "landing": "Rome"}}, "launch.landing: 'Rome' is not one of"),
    ({"beam_city": "Rome"}, "beam_city: 'Rome' is not one of"),
    ({"hit_cause": "none"}, "hit_cause: 'none' is not one of launch, ram"),
    ({"victims": [0, 1, 2]}, "victims: must list at most 2 players, not 3"),
    ({"victims": [5]}, "victims[0]: must be a whole number from 0 to 2"),
    ({"victim": 3}, "victim: must be a whole number from 0 to 2, not 3"),
    ({"final_turns_left": 4}, "final_turns_left: must be a whole number from 0 to 3, not 4"),
    ({"turn_count": -1}, "turn_count: must be a whole number from 0"),
    ({"end_reasons": ["boredom"]}, "end_reasons[0]: 'boredom' is not one of stack_empty"),
    ({"truncated": 0}, "truncated: must be true or false, not 0"),
]


@pytest.mark.parametrize(("changes", "reason"), FIELD_REFUSALS)
def test_fields_that_cannot_be_read(changes: Data, reason: str) -> None:
    assert reason in refusal(RULESET, {**position(), **changes})


def test_what_is_not_a_position() -> None:
    check_what_is_no_position(RULESET)


@pytest.mark.parametrize("name", ["ships", "cities", "cargo", "deliveries", "turn_player"])
def test_what_may_not_be_left_out(name: str) -> None:
    check_what_is_required(RULESET, position(), name)


def test_all_reasons_are_listed_together() -> None:
    data = position(ships=["Kepler"], turn_player=9, cargo=[["E01"] * 2, ["X"], []], colour=1)
    check_reasons_together(
        RULESET, data, ["ships", "turn_player", "cargo[0]", "cargo[1][0]", "'colour'"]
    )


# --- refusals: rules ------------------------------------------------------------------------------

RULE_REFUSALS = [
    (put("deliveries", 0, value=["E01"]), "E01: both in deliveries of player 0 and in deliveries"),
    (put("cities", "Cairo", value=["E24"]), "E24: both in "),
    (put("stacks", value={"EARTH": ["E03"]}), ": in no place (RULES.md §11)"),
    (put("stacks", value={"MOON": ["E05"]}), "stacks[MOON]: E05: of another stack (RULES.md §4.2)"),
    (put("deliveries", 0, value=["E33"]), "E33: not in play with 3 players (RULES.md §4.2"),
    (put("cargo", 0, 4, value="S15"), "S15: not in play with 3 players (RULES.md §4.2, §4.5)"),
    (put("cargo", 0, 4, value="S15"), "S01: in no place (RULES.md §11)"),
    (
        both(put("cargo", 0, 4, value="R38"), put("deliveries", 0, value=["S01"])),
        "deliveries[0]: S01: starters have no destination (RULES.md §2.2)",
    ),
    (put("ships", 0, value="Phobos-1"), "ships[0]: Phobos-1 is not in play (RULES.md §1.1)"),
    (put("cities", "Deimos-1", value=[]), "cities[Deimos-1]: this city is not in play"),
    (put("powers", value=["S1", "S2", "S3"]), "powers: must be null, ships are alike"),
    (put("cities", "Hamilton", value=[]), "cities[Hamilton]: no tile, though the MOON stack is"),
    (put("current_player", value=1), "current_player: 1; at prompt 'launch' it is 0"),
    (put("launch", value={"tile": "E24"}), "launch: at prompt 'launch' it must be null"),
    (put("prompt", value="land"), "launch: at prompt 'land' it must be a tile with nothing else"),
    (put("prompt", value="move"), "launch: at prompt 'move' it must have heading and landing"),
    (
        both(put("prompt", value="land"), put("launch", value={"tile": "M03"})),
        "launch.tile: M03 is not in the cargo of player 0",
    ),
    (put("victims", value=[1]), "victims: at prompt 'launch' it must be []"),
    (put("victim", value=1), "victim: at prompt 'launch' it must be null"),
    (put("hit_cause", value="launch"), "hit_cause: at prompt 'launch' it must be null"),
    (put("beam_city", value="Cairo"), "beam_city: at prompt 'launch' it must be null"),
    (put("prompt", value="hit"), "hit_cause: at prompt 'hit' it must not be null"),
    (put("prompt", value="hit"), "victim: at prompt 'hit' it must not be null"),
    (put("prompt", value="beam"), "the ship of player 0 has no tractor beam (RULES.md §8)"),
    (put("prompt", value="beam_tile"), "beam_city: at prompt 'beam_tile' it must not be null"),
    (put("prompt", value="deliver"), "player 0 has nothing to decide at 'deliver'"),
    (put("cargo", 0, value=[]), ": in no place"),
    (put("end_reasons", value=["stack_empty"]), "prompt: the game has ended, so it must be 'over'"),
    (put("truncated", value=True), "truncated: there is no cap on turns (option max_turns"),
    (put("prompt", value="over"), "a game that is over has a reason, or is truncated"),
    (put("final_turns_left", value=3), "final_turns_left: 3; here it is 0 to 2 (RULES.md §7)"),
    (put("final_turns_left", value=2), "by 2 player 2 triggered the end on Cairo, but the EARTH"),
]


@pytest.mark.parametrize(("change", "reason"), RULE_REFUSALS)
def test_impossible_positions(change: Change, reason: str) -> None:
    check_refusal(RULESET, position(), change, reason)


HIT_REFUSALS = [
    (put("victim", value=2), "victim: the ship of player 2 is not hit there (RULES.md §6)"),
    (put("victim", value=0), "victim: player 0 does not hit the own ship"),
    (put("victims", value=[2]), "victims: [2]; after player 1 it is [] (RULES.md §6)"),
    (put("current_player", value=0), "current_player: 0; at prompt 'hit' it is 1"),
    (put("hit_cause", value="ram"), "hit_cause: the ship of player 0 does not ram (RULES.md §8)"),
    (put("hit_cause", value="ram"), "launch: at prompt 'hit' it must be null"),
    (put("prompt", value="aim"), "player 0 does not choose what player 1 drops (RULES.md §8)"),
    (put("prompt", value="payback"), "prompt: the ship of player 1 has no payback (RULES.md §8)"),
    (put("launch", "landing", value="Kepler"), "Kepler is not 4 steps clockwise from Kepler"),
    (put("launch", "tile", value="R39"), "is not 5 steps clockwise from Kepler (RULES.md §5)"),
    (put("launch", "landing", value="Tharsis"), "E24 must be in the deliveries of player 0"),
    (put("launch", "tile", value="E06"), "launch.tile: E06 must be on Copernicus (RULES.md §6)"),
]


@pytest.mark.parametrize(("change", "reason"), HIT_REFUSALS)
def test_impossible_hits(change: Change, reason: str) -> None:
    data = hit_position()
    GAME.state_from_json(RULESET, data)
    change(data)
    assert reason in refusal(RULESET, data)


def test_several_victims_decide_clockwise() -> None:
    """§12 T6, §6 D2."""
    data = hit_position(ships=["Kepler", "Copernicus", "Copernicus"], victims=[2])
    GAME.state_from_json(RULESET, data)
    assert "victims: []; after player 1 it is [2]" in refusal(RULESET, {**data, "victims": []})
    GAME.state_from_json(RULESET, {**data, "victim": 2, "victims": []})
    message = refusal(RULESET, {**data, "victim": 2, "victims": [1]})
    assert "victims: [1]; after player 2 it is []" in message


def test_powers_go_by_the_option() -> None:
    """§4.4, §8."""
    assert "each player has a ship (option ship_powers='A'" in refusal(SIDE_A, position())
    GAME.state_from_json(SIDE_A, position(powers=["S1", "S2", "S3"]))
    message = refusal(SIDE_A, position(powers=["S1", "S2", "S1"]))
    assert "powers: two players have S1 (RULES.md §4.4)" in message


def test_hits_with_powers() -> None:
    """§8 Aimed shot, Payback, Ram."""
    aimed = hit_position(powers=["S3", "S1", "S2"])
    assert "player 0 chooses what player 1 drops (RULES.md §8)" in refusal(SIDE_B, aimed)
    GAME.state_from_json(SIDE_B, {**aimed, "prompt": "aim"})
    payback = hit_position(powers=["S1", "S5", "S2"], prompt="payback")
    GAME.state_from_json(SIDE_B, payback)
    ram = hit_position(powers=["S1", "S5", "S2"], hit_cause="ram", launch=None)
    ram["ships"][0] = "Copernicus"
    GAME.state_from_json(SIDE_B, ram)
    ram["ships"][0] = "Kepler"
    assert "the ship of player 1 is not hit there" in refusal(SIDE_B, ram)


def test_beams() -> None:
    """§8 Tractor beam."""
    beam = position(powers=["S4", "S1", "S2"], prompt="beam", ships=["Mars-8", "Cairo", "Cairo"])
    tiles = beam["cities"]["Mars-8"]
    assert "cities[Mars-8]: at prompt 'beam' it is empty" in refusal(SIDE_A, beam)
    beam["cargo"][0] += tiles
    beam["cities"]["Mars-8"] = []
    GAME.state_from_json(SIDE_A, beam)
    GAME.state_from_json(SIDE_A, {**beam, "prompt": "beam_tile", "beam_city": "Tharsis"})
    message = refusal(SIDE_A, {**beam, "prompt": "beam_tile", "beam_city": "Olympus"})
    assert "beam_city: Olympus is not one step away with two or more tiles" in message
    far = {**beam, "ships": ["Earth-1", "Cairo", "Cairo"]}
    far["cities"] = {**beam["cities"], "Mars-8": tiles, "Earth-1": []}
    far["cargo"] = [
        sorted({*beam["cargo"][0], *beam["cities"]["Earth-1"]} - set(tiles)),
        *beam["cargo"][1:],
    ]
    assert "player 0 has nothing to decide at 'beam'" in refusal(SIDE_A, far)


# --- refusals: the end of the game ----------------------------------------------------------------


def wrong_end(is_wanted: Callable[[Data], bool], changes: Data, **options: Any) -> str:
    ruleset, data = find_position(is_wanted, **options)
    GAME.state_from_json(ruleset, data)
    return refusal(ruleset, {**data, **changes})


def is_last_turns(data: Data) -> bool:
    return data["final_turns_left"] == 2 and [] in data["cities"].values()


def test_last_turns() -> None:
    """§7."""
    ruleset, data = find_position(is_last_turns)
    GAME.state_from_json(ruleset, data)
    player = (data["turn_player"] - 1) % 3
    assert player == (data["turn_player"] + 2) % 3
    empty = [city for city, tiles in data["cities"].items() if not tiles]
    if empty:
        message = refusal(ruleset, {**data, "final_turns_left": 0})
        assert "final_turns_left: 0, but the " in message
        assert "stack has not refilled" in message


def test_end_by_an_empty_stack() -> None:
    """§7."""

    def is_end(data: Data) -> bool:
        return data["end_reasons"] == ["stack_empty"]

    assert "has a reason, or is truncated" in wrong_end(is_end, {"end_reasons": []})
    assert "is not truncated" in wrong_end(is_end, {"truncated": True})
    assert "final_turns_left: 1; here it is 0" in wrong_end(is_end, {"final_turns_left": 1})
    message = wrong_end(is_end, {"launch": {"tile": "S01"}})
    assert "launch: at prompt 'over' it must be null" in message


def test_truncated_games() -> None:
    """§7."""
    message = wrong_end(lambda data: data["truncated"], {"turn_count": 4}, max_turns=5)
    assert "turn_count: 4; a truncated game has 5 turns (RULES.md §7)" in message
    message = wrong_end(lambda data: data["turn_count"] == 4, {"turn_count": 5}, max_turns=5)
    assert "turn_count: 5; after 5 turns a game is truncated (RULES.md §7)" in message


# --- refusals: no other way out -------------------------------------------------------------------

MORE_JUNK = ("E05", "Cairo", "S1", ["E01"], "launch", "hit", {"Cairo": ["E01"]}, {"tile": "E01"})


def test_damaged_positions_are_refused_or_can_be_played() -> None:
    rng = Random("damage")
    positions = islice(random_positions("damage"), 0, 60_000, 10)
    outcomes = check_damaged_positions(positions, rng, MORE_JUNK)
    assert min(outcomes.values()) > 300


# --- pictures -------------------------------------------------------------------------------------


def test_picture() -> None:
    state = GAME.state_from_json(RULESET, hit_position())
    picture = render(RULESET, state, 1)
    lines = picture.splitlines()
    expected = (
        "Junk Orbit, turn 1 of player 0: player 1 is hit and chooses the tile to drop "
        "(launch of 4 to Tharsis clockwise, landed on Copernicus)"
    )
    assert lines[0] == expected
    assert re.fullmatch(
        r"EARTH stack \d+ tiles, MOON stack \d+ tiles, MARS stack \d+ tiles", lines[1]
    )
    assert any(line.split()[:4] == ["MOON", "Copernicus", "player", "1"] for line in lines)
    assert "2 x 1 starter, 2 starter" in picture
    assert picture == render(RULESET, state, None)


def test_pictures_show_nothing_hidden() -> None:
    rng = Random("pictures")
    for ruleset, state in islice(random_positions("pictures"), 0, 2_000, 5):
        player = rng.randrange(ruleset.num_players)
        picture = render(ruleset, state, player)
        assert "\x1b" not in picture
        coloured = render(ruleset, state, player, is_coloured=True)
        assert re.sub(r"\x1b\[\d+m", "", coloured) == picture
        is_hidden = not ruleset.options.deliveries_visible and "over" not in picture.splitlines()[0]
        rows = [line for line in picture.splitlines() if line.startswith("player ")][1:]
        for other, row in enumerate(rows):
            assert bool(re.search(r" \? ", row)) == (is_hidden and other != player)
        assert " ? " not in render(ruleset, state, None)
