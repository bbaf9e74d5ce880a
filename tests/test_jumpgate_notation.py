"""Jump Gate in words: texts of actions, positions as JSON, refusals, pictures."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
from jumpgate_positions import find_position, observe, random_positions
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

from jumpgate_env.jumpgate_v0 import GAME
from jumpgate_env.render import render
from tabletop_core.errors import TabletopError
from tabletop_core.game import Array, Ruleset
from tabletop_core.rng import seed_to_word
from tabletop_core.session import Session

RULESET = GAME.ruleset(3)


# --- actions --------------------------------------------------------------------------------------


def test_texts_are_inverse_for_all_actions() -> None:
    check_texts_are_inverse(islice(random_positions("texts"), 0, 4_000, 40))


def test_texts_are_as_documented() -> None:
    state = GAME.state_from_json(RULESET, position())
    texts = {
        0: "pass",
        1: "fly to P05",
        9: "fly to absent planet 9",
        10: "jump to P05",
        19: "scan",
        20: "claim",
        21: "harvest at P05",
        29: "harvest at absent planet 9",
        30: "research",
        31: "discard nothing",
        31 + 0b10001: "discard N02 empty-slot-5",
        31 + 0b00011: "discard N02 N25",
        63: "spend N02",
        67: "spend empty-slot-5",
        68: "spend N02 N25",
        77: "spend N30 empty-slot-5",
        78: "take marked",
        79: "take sand",
        82: "take red gem*",
        97: "mark red gem",
        110: "mark fame*",
        111: "decline",
    }
    check_documented_texts(RULESET, state, texts)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "actions begin with pass, fly"),
        ("sing", "actions begin with pass, fly"),
        ("fly to P99", "'fly to P05'"),
        ("fly to P12", "the planets are P05, P09"),
        ("spend N01", "holds N02, N25, N26, N30"),
        ("take green gem", "resources are sand, sand*"),
        ("SCAN", "actions begin with"),
        ("pass" * 1000, "..."),
    ],
)
def test_unknown_texts(text: str, hint: str) -> None:
    state = GAME.state_from_json(RULESET, position())
    with pytest.raises(TabletopError, match="jumpgate_v0: .* is not an action") as error:
        GAME.string_to_action(RULESET, state, text)
    assert hint in str(error.value)
    assert len(str(error.value)) < 500


def test_no_text_and_no_action() -> None:
    check_what_is_no_action(RULESET, GAME.state_from_json(RULESET, position()), last=111)


# --- positions and back ---------------------------------------------------------------------------


def test_positions_survive_the_way_through_text() -> None:
    check_round_trips(islice(random_positions("round trips"), 0, 12_000, 6))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_many_positions_survive(part: int) -> None:
    check_round_trips(islice(random_positions(f"round trips {part}"), 20_000))


def test_what_may_be_left_out() -> None:
    state = GAME.state_from_json(RULESET, position())
    data = GAME.state_to_json(RULESET, state)
    assert data["rng"] == f"0x{seed_to_word(0):016x}"
    assert data["ruleset"] == f"{RULESET.digest:016x}"
    assert data["prompt"] == "main"
    assert data["pending"] is None
    assert data["turn_count"] == data["decision_count"] == data["final_turns_left"] == 0
    named = {card for cards in data["hands"] for card in cards}
    assert len(data["deck"]) == 48 - len(named)
    assert named.isdisjoint(data["deck"])
    assert len(data["unseen"]) == 48 - 28 - 6 + sum(data["face_down"])
    assert GAME.state_to_json(RULESET, GAME.state_from_json(RULESET, data)) == data


def position(**changes: Any) -> Data:
    """A position of three players written by hand: §9 E2, with more on the table."""
    data = {
        "ring": ["P05", "P09", "P02", "P01", "P03", "P04", "P06"],
        "owners": [None, None, None, None, None, None, 0],
        "face_down": [2, 2, 3, 3, 3, 3, 0],
        "face_up": [["R02", "R37"], ["R18", "R20"], ["R14"], ["R15"], ["R16"], ["R19"], ["R05"]],
        "marks": [[], ["R18"], []],
        "locations": ["P06", "P05", "gate"],
        "hands": [["N03", "N37"], ["N02", "N25", "N26", "N30"], ["N11", "N18", "N19", "N24"]],
        "hidden": [["R06", "R07"], ["R08", "R21"], ["R09", "R10"]],
        "collected": [["R01", "R26"], ["R03"], []],
        "current_player": 1,
        "actions_left": 2,
    }
    return {**copy.deepcopy(data), **changes}


def test_a_position_can_be_played_on() -> None:
    """§9 E2: a scan, a new mark that lifts the old one, a harvest of the marked resource."""
    session = Session(RULESET)
    session.from_json(position(rng="0x0000000000000123"))
    for text in ("scan", "spend N25"):
        session.step(session.string_to_action(text))
    data = session.to_json()
    assert data["prompt"] == "mark"
    assert data["face_down"][0] == 1
    assert data["marks"][1] == ["R18"]
    (revealed,) = set(data["face_up"][0]) - {"R02", "R37"}
    kind = next(card.name for card in RULESET.tables.resources if card.id == revealed)
    session.step(session.string_to_action(f"mark {kind}"))
    assert session.to_json()["marks"][1] in ([revealed], ["R02"], ["R37"])
    session.step(session.string_to_action("harvest at P05"))
    session.step(session.string_to_action("spend N02"))
    data = session.to_json()
    assert data["current_player"] == 2
    assert len(data["collected"][1]) == 2


def test_a_claim_that_ends_the_game() -> None:
    """§9 E3."""
    session = Session(RULESET)
    session.from_json(claim_position())
    session.step(session.string_to_action("claim"))
    assert session.to_json()["discard"] == ["N22", "N37"]  # the only pair
    assert session.to_json()["prompt"] == "pick"
    session.step(session.string_to_action("take sand"))
    assert session.to_json()["end_reasons"] == ["black_hole"]
    assert session.to_json()["collected"][0][-2:] == ["R13", "R14"]


def claim_position() -> Data:
    return position(
        face_down=[0, 1, 0, 3, 3, 3, 0],
        face_up=[
            ["R02"],
            [],
            ["R05", "R14", "R31", "R43"],
            ["R15"],
            ["R16"],
            ["R19"],
            [],
        ],
        owners=[None] * 7,
        marks=[["R14"], ["R31"], []],
        locations=["P02", "P05", "P09"],
        hands=[["N22", "N37"], ["N02"], ["N11"]],
        hidden=[["R06", "R07"], ["R08", "R21"], ["R09", "R10"]],
        collected=[["R13"], ["R25", "R44", "R01"], ["R45", "R46", "R47", "R03", "R04", "R11"]],
        current_player=0,
        actions_left=1,
    )


# --- refusals: fields -----------------------------------------------------------------------------


FIELD_REFUSALS = [
    ({"game": "chess"}, "game: 'chess' is not one of jumpgate_v0"),
    ({"num_players": 4}, "num_players: must be 3, not 4"),
    ({"num_players": 3.0}, "num_players: must be 3, not 3.0"),
    ({"ruleset": "0" * 16}, "played by ruleset 0000000000000000"),
    ({"ruleset": 5}, "ruleset: must be 16 hex digits, not 5"),
    ({"rng": "0x0"}, "rng: must be"),
    ({"rng": 7}, "rng: must be"),
    ({"rng": "0x" + "f" * 17}, "rng: must be"),
    ({"colour": 1}, "'colour': unknown key; known: game, "),
    ({7: 1}, "7: unknown key"),
    ({"ring": "P05"}, "ring: must be a list, not 'P05'"),
    ({"ring": ["P05"]}, "ring: must list 7 ring positions, not 1"),
    ({"ring": ["P05", "P09", "P02", "P01", "P03", "P04", "P13"]}, "ring[6]: 'P13' is not one of"),
    ({"owners": [None] * 6 + [3]}, "owners[6]: must be a whole number from 0 to 2, not 3"),
    ({"owners": [None] * 6 + [True]}, "owners[6]: must be a whole number from 0 to 2, not true"),
    ({"face_down": [4, 2, 3, 3, 3, 3, 0]}, "face_down[0]: must be a whole number from 0 to 3"),
    ({"face_down": [2.0, 2, 3, 3, 3, 3, 0]}, "face_down[0]: must be a whole number"),
    ({"face_up": [["R02", "R99"]] + [[]] * 6}, "face_up[0][1]: 'R99' is not a card"),
    ({"face_up": [["R02", "R02"]] + [[]] * 6}, "face_up[0]: R02 is listed twice"),
    ({"face_up": [None] * 7}, "face_up[3]: must be a list, not null"),
    ({"hands": [["R01"], [], []]}, "hands[0][0]: 'R01' is not a card of this kind; cards are N01"),
    ({"hands": [[["N01"]], [], []]}, "hands[0][0]: a list is not a card"),
    ({"deck": ["N01"] * 49}, "deck: lists 49 cards, but there are only 48"),
    ({"locations": ["P06", "P05", "moon"]}, "locations[2]: 'moon' is not one of"),
    ({"current_player": 3}, "current_player: must be a whole number from 0 to 2, not 3"),
    ({"current_player": None}, "current_player: must be a whole number from 0 to 2, not null"),
    ({"actions_left": float("nan")}, "actions_left: must be a whole number from 0 to 2, not nan"),
    ({"actions_left": 10**5000}, "actions_left: must be a whole number from 0 to 2, not a huge"),
    ({"turn_count": -1}, "turn_count: must be a whole number from 0 to 3000, not -1"),
    ({"decision_count": 2**32}, "decision_count: must be a whole number"),
    ({"final_turns_left": 5}, "final_turns_left: must be a whole number from 0 to 4, not 5"),
    ({"prompt": "sing"}, "prompt: 'sing' is not one of main, spend"),
    ({"prompt": ["main"]}, "prompt: a list is not one of"),
    ({"pending": "jump"}, "pending: must be null or a dict, not 'jump'"),
    ({"pending": {}}, "pending.action: is missing"),
    ({"pending": {"action": "nothing"}}, "pending.action: 'nothing' is not one of jump, scan"),
    ({"pending": {"action": "jump", "who": 1}}, "pending: unknown key 'who'; known: action"),
    ({"pending": {"action": "jump", "planet": "P99"}}, "pending.planet: 'P99' is not one of"),
    ({"pending": {"action": "jump", "resource": "gold"}}, "pending.resource: 'gold' is not one of"),
    ({"end_reasons": "black_hole"}, "end_reasons: must be a list"),
    ({"end_reasons": ["boredom"]}, "end_reasons[0]: 'boredom' is not one of black_hole"),
    ({"end_reasons": ["black_hole"] * 2}, "end_reasons: black_hole is listed twice"),
    ({"truncated": 0}, "truncated: must be true or false, not 0"),
    ({"held_since": ["N02"]}, "held_since: must be a dict"),
    ({"held_since": {"N99": 1}}, "held_since: 'N99' is not a card"),
    ({"held_since": {"N02": 0}}, "held_since[N02]: must be a whole number from 1 to 15, not 0"),
]


@pytest.mark.parametrize(("changes", "reason"), FIELD_REFUSALS)
def test_fields_that_cannot_be_read(changes: Data, reason: str) -> None:
    assert reason in refusal(RULESET, {**position(), **changes})


def test_what_is_not_a_position() -> None:
    check_what_is_no_position(RULESET)


REQUIRED = sorted(position())


@pytest.mark.parametrize("name", REQUIRED)
def test_what_may_not_be_left_out(name: str) -> None:
    check_what_is_required(RULESET, position(), name)


def test_all_reasons_are_listed_together() -> None:
    data = position(ring=["P05"], actions_left=9, hands=[["N01"] * 2, ["X"], []], colour=1)
    check_reasons_together(
        RULESET, data, ["ring", "actions_left", "hands[0]", "hands[1][0]", "'colour'"]
    )


# --- refusals: rules ------------------------------------------------------------------------------

SIX = ["N02", "N25", "N26", "N30", "N31", "N32"]
JUMP = {"action": "jump", "planet": "P09"}
SCAN = {"action": "scan"}
HARVEST = {"action": "harvest", "planet": "P06", "resource": "sand"}

RULE_REFUSALS = [
    (put("ring", 6, value="P05"), "ring: P05 is listed twice (RULES.md §2.1)"),
    (
        put("collected", 2, value=["R02"]),
        "R02: both in face_up of P05 and in collected of player 2",
    ),
    (put("hidden", 0, value=["R06", "R08"]), "R08: both in hidden of player 0 and in hidden of"),
    (put("removed", value=["R02"]), "removed: R02: only Nothing cards are removed (RULES.md §10)"),
    (put("unseen", value=["R48"]), ": in no place (RULES.md §11)"),
    (put("deck", value=["N48", "N02"]), "N02: both in hands of player 1 and in deck"),
    (put("deck", value=["N48"]), ": in no place (RULES.md §11)"),
    (put("discard", value=["N03"]), "N03: both in hands of player 0 and in discard"),
    (put("hands", 1, value=SIX), "hands[1]: 6 cards; a hand has at most 5 (RULES.md §11)"),
    (put("collected", 1, value=[]), "7 planets were dealt 28 resources, but there are 27"),
    (put("face_down", 0, value=3), "P05: 5 resources; a planet has at most 4 (RULES.md §2.4)"),
    (put("face_up", 2, value=[]), "1 planets with 3 face-down resources have none face up"),
    (put("hidden", 0, value=["R06"]), "hidden[0]: 1 cards; each player has 2 (RULES.md §2.3)"),
    (put("hidden", 0, value=["R06", "R44"]), "hidden[0]: R44: Fame is never hidden"),
    (put("held_since", value={"N48": 1}), "held_since: N48: in no hand (RULES.md §6)"),
    (put("owners", 0, value=1), "P05: claimed, but has face-down resources (RULES.md §4.4, §11)"),
    (put("marks", 0, value=["R48"]), "marks[0]: R48: not face up on a planet (RULES.md §4.3"),
    (put("marks", 0, value=["R05"]), "marks[0]: R05: P06 is claimed, its marks have returned"),
    (put("marks", 0, value=["R14"]), "marks[0]: R14: P02 was not scanned yet (RULES.md §4.3)"),
    (put("marks", 0, value=["R02", "R20"]), "marks[0]: R02, R20: a player has at most one mark"),
    (put("marks", 0, value=["R18"]), "marks[1]: R18: carries the mark of player 0 too"),
    (put("locations", 0, value="P12"), "locations[0]: P12 is not in the ring (RULES.md §2.1)"),
    (put("locations", 0, value="gate"), "has not left the Jump Gate, but player 0 has a planet"),
    (put("locations", 1, value="gate"), "has not left the Jump Gate, but player 1 has a mark"),
    (put("actions_left", value=0), "actions_left: 0 at prompt 'main'; right is 1 to 2"),
    (put("pending", value=JUMP), "pending: at prompt 'main' it must be null (RULES.md §3)"),
    (put("prompt", value="spend"), "pending: at prompt 'spend' it must be what was announced"),
    (put("end_reasons", value=["black_hole"]), "prompt: the game has ended, so it must be 'over'"),
    (put("truncated", value=True), "prompt: the game has ended, so it must be 'over'"),
    (put("final_turns_left", value=2), "final_turns_left: 2, but not all planets are claimed"),
    (put("turn_count", value=3000), "turn_count: 3000; after 3000 turns a game is truncated"),
]


@pytest.mark.parametrize(("change", "reason"), RULE_REFUSALS)
def test_impossible_positions(change: Change, reason: str) -> None:
    check_refusal(RULESET, position(), change, reason)


def spend(pending: Data) -> Change:
    return both(put("prompt", value="spend"), put("pending", value=pending))


DECISION_REFUSALS = [
    (spend({"action": "jump"}), "it must be a jump with a planet, without a resource"),
    (spend({**JUMP, "resource": "sand"}), "it must be a jump with a planet, without a resource"),
    (spend({**SCAN, "planet": "P05"}), "it must be a scan without a planet and a resource"),
    (spend({**HARVEST, "resource": None}), "it must be a harvest with a planet and a resource"),
    (spend({**JUMP, "planet": "P12"}), "pending.planet: P12 is not in the ring (RULES.md §2.1)"),
    (spend({**JUMP, "planet": "P05"}), "could not announce this here and with this hand"),
    (spend(JUMP), "could not announce this here and with this hand (RULES.md §4.2)"),
    (both(spend(SCAN), put("hands", 1, value=["N01"])), "could not announce this"),
    (spend(HARVEST), "could not announce this here and with this hand (RULES.md §4.5)"),
    (put("prompt", value="spend_pair"), "could not announce this here and with this hand"),
    (
        both(put("prompt", value="harvest"), put("pending", value=HARVEST)),
        "it must be a harvest with a planet, without a resource",
    ),
    (
        both(put("prompt", value="harvest"), put("pending", value={**HARVEST, "resource": None})),
        "could not announce this here and with this hand (RULES.md §4.5)",
    ),
    (
        both(
            put("current_player", value=0),
            spend({"action": "harvest", "planet": "P06", "resource": "red gem"}),
        ),
        "pending.resource: 'red gem' cannot be taken here (RULES.md §4.5)",
    ),
    (
        both(put("current_player", value=0), spend({**HARVEST, "resource": "marked"})),
        "pending.resource: 'marked' cannot be taken here (RULES.md §4.5)",
    ),
    (
        both(put("prompt", value="mark"), put("current_player", value=2)),
        "the ship of player 2 is on the Jump Gate",
    ),
    (
        both(put("prompt", value="mark"), put("current_player", value=0)),
        "prompt: P06 was not scanned just now (RULES.md §4.3)",
    ),
    (
        both(put("prompt", value="mark"), put("locations", 1, value="P01")),
        "prompt: P01 was not scanned just now (RULES.md §4.3)",
    ),
    (put("prompt", value="pick"), "player 1 has not claimed P05 just now (RULES.md §4.4)"),
    (
        both(
            put("prompt", value="pick"),
            put("current_player", value=0),
            put("face_up", 6, value=[]),
            put("collected", 2, value=["R05"]),
            put("locations", 2, value="P06"),
        ),
        "nothing lies on P06 to be picked (RULES.md §4.4)",
    ),
    (
        both(put("prompt", value="mark"), put("marks", value=[["R37"], ["R02"], []])),
        "prompt: nothing on P05 can be marked (RULES.md §4.3)",
    ),
]


@pytest.mark.parametrize(("change", "reason"), DECISION_REFUSALS)
def test_decisions_that_are_never_asked(change: Change, reason: str) -> None:
    check_refusal(RULESET, position(), change, reason)


def test_decisions_that_can_be_asked() -> None:
    """The same kinds of changes, as they can be in a game."""
    for change in (
        spend(SCAN),
        spend({"action": "jump", "planet": "P02"}),
        both(put("current_player", value=0), spend(HARVEST)),
        put("prompt", value="research"),
        put("prompt", value="mark"),
        both(put("prompt", value="pick"), put("current_player", value=0)),
    ):
        data = position()
        change(data)
        GAME.state_from_json(RULESET, data)


def test_payments_that_an_option_spares() -> None:
    free_scan = GAME.ruleset(3, scan_cost="free")
    data = position()
    spend(SCAN)(data)
    assert "a scan costs no card" in refusal(free_scan, data)
    free_harvest = GAME.ruleset(3, harvest_cost="free")
    data = position(current_player=0)
    spend(HARVEST)(data)
    assert "this harvest costs no card" in refusal(free_harvest, data)
    free_marked = GAME.ruleset(3, harvest_cost="any_card_if_unmarked")
    data = position(locations=["P06", "P09", "gate"])
    spend({"action": "harvest", "planet": "P09", "resource": "marked"})(data)
    assert "this harvest costs no card" in refusal(free_marked, data)
    GAME.state_from_json(RULESET, data)


def test_marks_with_one_on_each_planet() -> None:
    """§4.3, option mark_scope."""
    ruleset = GAME.ruleset(3, mark_scope="per_planet")
    GAME.state_from_json(ruleset, position(marks=[[], ["R18", "R02"], []]))
    message = refusal(ruleset, position(marks=[[], ["R18", "R20"], []]))
    assert "marks[1]: R18, R20: a player has at most one mark on P09" in message


def test_resources_from_the_gate() -> None:
    """§4.1, option harvest_where: only then one can harvest from the Jump Gate."""
    data = position(collected=[["R01", "R26"], [], ["R03"]])
    assert "has not left the Jump Gate, but player 2 has resources" in refusal(RULESET, data)
    GAME.state_from_json(GAME.ruleset(3, harvest_where="anywhere"), data)


def test_nothing_cards() -> None:
    """§10: removed Nothing cards have a place of their own, and are nowhere else."""
    ruleset = GAME.ruleset(3, deck="nothing2010")
    message = refusal(ruleset, position())
    assert "face_up: R02, R05 are Nothing cards (RULES.md §10)" in message
    assert "collected: R01, R03 are Nothing cards" in message
    assert "hidden: R06, R07, R08, R09, R10 are Nothing cards" in message
    data = position(
        face_up=[["R37"], ["R18", "R20"], [], ["R15"], ["R16"], ["R19"], []],
        hidden=[["R22", "R23"], ["R24", "R21"], ["R27", "R28"]],
        collected=[["R26"], ["R38"], ["R39"]],
        removed=["R01", "R02", "R03"],
        locations=["P06", "P05", "P06"],
    )
    GAME.state_from_json(ruleset, data)


def test_fame_may_be_hidden_with_an_option() -> None:
    data = position(hidden=[["R06", "R44"], ["R08", "R21"], ["R09", "R10"]])
    GAME.state_from_json(GAME.ruleset(3, redeal_fame=False), data)


# --- refusals: the end of the game ----------------------------------------------------------------


def wrong_end(is_wanted: Callable[[Data], bool], changes: Data, **options: Any) -> str:
    ruleset, data = find_position(is_wanted, **options)
    GAME.state_from_json(ruleset, data)
    return refusal(ruleset, {**data, **changes})


def ends_by(*reasons: str) -> Callable[[Data], bool]:
    return lambda data: data["end_reasons"] == list(reasons)


def test_end_by_the_black_hole() -> None:
    """§7.1."""
    end = ends_by("black_hole")
    message = wrong_end(end, {"end_reasons": ["no_resources"]})
    assert re.search(r"black_hole against \d+ of 7 Black Hole markers", message)
    assert re.search(r"no_resources against \d+ resources left", message)
    assert "has a reason, or is truncated" in wrong_end(end, {"end_reasons": []})
    assert "is not truncated" in wrong_end(end, {"truncated": True})
    message = wrong_end(end, {"prompt": "main", "end_reasons": [], "actions_left": 1})
    assert re.search(r"prompt: the game is over by black_hole: \d+ of 7", message)
    assert "at prompt 'over'; right is 0" in wrong_end(end, {"actions_left": 1})
    assert "but not all planets are claimed" in wrong_end(
        end, {"end_reasons": ["black_hole", "planets_claimed"]}
    )


def test_end_without_resources() -> None:
    """§7.2."""
    end = ends_by("no_resources")
    options = {"blackhole_limit": 48, "harvest_cost": "free", "harvest_where": "anywhere"}
    message = wrong_end(end, {"prompt": "main", "end_reasons": [], "actions_left": 2}, **options)
    assert "the game is over by no_resources: 0 resources left" in message


def test_end_by_planets() -> None:
    """§7.3."""
    end = ends_by("planets_claimed")
    options = {"blackhole_limit": 48}
    message = wrong_end(end, {"final_turns_left": 1}, **options)
    assert "final_turns_left: 1; all planets are claimed, so 0 (RULES.md §7.3)" in message
    message = wrong_end(end, {"prompt": "main", "end_reasons": [], "actions_left": 2}, **options)
    assert "final_turns_left: 0; all planets are claimed, so 1 to 4" in message
    ruleset, data = find_position(end, **options)
    claimer = data["current_player"]
    data["owners"] = [(claimer + 1) % 3] * 7
    assert f"player {claimer} claimed the last planet, but owns none" in refusal(ruleset, data)


def test_pick_after_the_last_claim() -> None:
    """§7.3: then everybody has a turn left, and the claimer the rest of this one."""

    def is_last_pick(data: Data) -> bool:
        return data["prompt"] == "pick" and None not in data["owners"]

    message = wrong_end(is_last_pick, {"final_turns_left": 3}, blackhole_limit=48)
    assert "the last planet was claimed just now, so 4" in message


def test_truncated_games() -> None:
    """§7, §12."""
    message = wrong_end(lambda data: data["truncated"], {"turn_count": 4}, max_turns=5)
    assert "turn_count: 4; a truncated game has 5 turns (RULES.md §7)" in message


# --- refusals: no other way out -------------------------------------------------------------------

MORE_JUNK = ("P05", "N01", ["R01"])


def test_damaged_positions_are_refused_or_can_be_played() -> None:
    positions = islice(random_positions("damage"), 0, 40_000, 10)
    outcomes = check_damaged_positions(positions, Random("damage"), MORE_JUNK)
    assert min(outcomes.values()) > 300


# --- pictures -------------------------------------------------------------------------------------


def test_picture_for_one_player_and_openly() -> None:
    state = GAME.state_from_json(RULESET, position())
    picture = render(RULESET, state, 1)
    lines = picture.splitlines()
    assert lines[0] == "Jump Gate, turn 1: player 1 chooses an action (2 actions left)"
    assert lines[1] == "Black Hole 0 of 7, deck 38, discard pile 0"
    assert any(line.split()[:5] == ["P09", "3", "4", "1", "3"] for line in lines)
    assert "white gem [player 1], white gem" in picture
    assert "N25 (scan 3, land 1)" in picture
    assert "N03" not in picture
    assert "N03 (jump 1, scan 3)" in render(RULESET, state, None)


def test_pictures_of_all_positions_show_nothing_hidden() -> None:
    """A picture for one player is made of what the player sees."""
    rng = Random("pictures")
    for ruleset, state in islice(random_positions("pictures"), 0, 2_000, 5):
        player = rng.randrange(ruleset.num_players)
        picture = render(ruleset, state, player)
        assert "\x1b" not in picture
        hand = GAME.view_to_json(ruleset, state, player)["hand"]
        assert set(re.findall(r"N\d\d", picture)) == {card["card"] for card in hand}
        coloured = render(ruleset, state, player, is_coloured=True)
        assert re.sub(r"\x1b\[\d+m", "", coloured) == picture
        assert render(ruleset, other_hidden(ruleset, state, player), player) == picture


def other_hidden(ruleset: Ruleset, state: Array, player: int) -> Array:
    """A copy with other hidden things, unless they are shown at the end."""
    other = state.copy()
    other[0].rng = 99
    before = observe(ruleset, state, player)
    session = Session(ruleset)
    session.restore(session_with(ruleset, state))
    session.determinize(player, 7)
    if state[0].prompt != GAME.prompts.index("over"):
        other = session.state.copy()
    assert np.array_equal(observe(ruleset, other, player), before)
    return other


def session_with(ruleset: Ruleset, state: Array) -> Session:
    session = Session(ruleset)
    session.from_json(GAME.state_to_json(ruleset, state))
    return session


def test_announcements_are_in_the_picture() -> None:
    data = position()
    spend(SCAN)(data)
    state = GAME.state_from_json(RULESET, data)
    assert "player 1 chooses the card that pays for the scan (2" in render(RULESET, state, 0)
    data = position(current_player=0)
    spend(HARVEST)(data)
    state = GAME.state_from_json(RULESET, data)
    assert "pays for the harvest sand at P06 (2" in render(RULESET, state, 0)
