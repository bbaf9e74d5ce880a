"""Jump Gate's options (RULES.md §10) and rulings (§12), by hand-written positions.

Each test names its option or ruling as listed in test_jumpgate_rules.py. Positions are written as
there; expected outcomes are written by hand, from the rules.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random
from typing import Any

import pytest
from jumpgate_positions import choose
from rule_checks import Data, random_word
from test_jumpgate_rules import (
    E3,
    PLANETS,
    SET_UP,
    Table,
    all_but,
    all_but_one_claimed,
    late,
    new_games,
    points,
    resource_name,
    scored,
    table,
    turns_until_the_end,
    until,
)

from jumpgate_env.jumpgate_v0 import GAME
from tabletop_core.errors import TabletopError
from tabletop_core.session import Session

RING = "P01 P02 P03 P04 P05 P06 P07"


# --- §10 decks ------------------------------------------------------------------------------------

EIGHTS = [
    *(["sand"] * 12),
    *(["red gem*"] + ["red gem"] * 3 + ["white gem*"] + ["white gem"] * 3),
    *(["blue gem*"] + ["blue gem"] * 3),
    *(["light energel"] * 4 + ["dark energel"] * 4 + ["water*"] + ["water"] * 7 + ["fame*"] * 8),
]


@pytest.mark.parametrize("number", range(48))
def test_deck_eights(number: int) -> None:
    """§10 deck=eights: EnerGel 4 + 4, water 8, fame 8; icons on 3 gems, 1 water, all fame."""
    card, name = f"R{number + 1:02}", EIGHTS[number]
    board = table(2, P01=(0, card), at="P01", hands=["N01 N02"], options={"deck": "eights"})
    board.do("harvest at P01", "spend N01")
    assert board.session.to_json(0)["seats"][0]["collected"] == {name: 1}
    assert board.markers == [int(name.endswith("*")), 0]


def test_eights_order() -> None:
    """§12 10 eights: order as in the default deck; the first of each icon type shows it."""
    names = [card.name for card in GAME.ruleset(2, deck="eights").tables.resources]
    assert names == EIGHTS
    assert sum(name.endswith("*") for name in names) == 12
    fame = " ".join(f"R{number}" for number in range(41, 49))
    assert points(fame, deck="eights") == 40


NOTHING: Data = {"deck": "nothing2010"}


def test_deck_nothing() -> None:
    """§10 deck=nothing2010: the 12 sand are Nothing; the other cards are as by default."""
    names = [card.name for card in GAME.ruleset(2, **NOTHING).tables.resources]
    assert names[:12] == ["nothing"] * 12
    assert names[12:] == [resource_name(f"R{k:02}") for k in range(13, 49)]


@pytest.mark.parametrize("players", SET_UP)
def test_nothing_at_set_up(players: int) -> None:
    """§12 10 nothing2010: never hidden; face up at set-up removed and not replaced."""
    planets, _, hidden, set_aside = SET_UP[players]
    nothing = {f"R{k:02}" for k in range(1, 13)}
    removed = 0
    for data in new_games(players, 200, **NOTHING):
        assert [len(cards) for cards in data["hidden"]] == [2] * players
        assert not nothing & {card for cards in data["hidden"] for card in cards}
        face_up = [card for cards in data["face_up"] for card in cards]
        assert not nothing & set(face_up)
        assert set(data["removed"]) <= nothing
        assert len(face_up) + len(data["removed"]) == planets
        assert data["face_down"] == [3] * planets
        assert len(data["unseen"]) == 3 * planets + set_aside
        assert len(data["unseen"]) + len(face_up) + len(data["removed"]) + hidden == 48
        removed += len(data["removed"])
    # 12 of the 48 cards less the hidden ones are Nothing.
    assert removed / 200 == pytest.approx(planets * 12 / (48 - hidden), rel=0.2)


def test_nothing_turned_up_by_a_scan() -> None:
    """§12 10 nothing2010: a scanned Nothing is removed, an older resource may be marked."""
    position: Data = {"at": "P05", "P05": (2, "R14 R37"), "hands": ["N03 N25"], "options": NOTHING}
    outcomes: Counter[str] = Counter()
    for number in range(60):
        board = table(**position, rng=random_word(number)).do("scan", "spend N03")
        down, up, _ = board.planet("P05")
        assert down == 1
        if len(up.split()) == 3:
            outcomes["other"] += 1
            continue
        outcomes["nothing"] += 1
        assert up == "R14 R37"
        (card,) = board["removed"]
        assert card in [f"R{k:02}" for k in range(1, 13)]
        assert sorted(board.legal) == ["decline", "mark red gem", "mark water*"]
        assert board.do("mark red gem").marks(0) == "R14"
        assert board.whose == (0, 1)
    assert min(outcomes["other"], outcomes["nothing"]) > 5


def only_nothing_left(**changes: Any) -> Data:
    """Two players; all that is unseen is R12, a Nothing, face down on P05."""
    empty = {name: (0, "") for name in list(PLANETS)[:6] if name != "P05"}
    fame = [f"R{k}" for k in range(43, 49)]
    free = [f"R{k}" for k in range(13, 43)]
    base: Data = {
        "players": 2,
        "at": "P05 P05",
        "P05": (1, ""),
        "hidden": [" ".join(free[:12]), " ".join(free[12:24])],
        "collected": [" ".join(fame), " ".join(free[24:])],
        "removed": "R01 R02 R03 R04 R05 R06 R07 R08 R09 R10 R11",
        "hands": ["N03 N25"],
        "options": {**NOTHING, "two_player_hidden": 12, "blackhole_limit": 48},
        **empty,
    }
    return base | changes


def test_scan_that_removes_the_last_resource() -> None:
    """§12 10 nothing2010: a scan can end the game by removing the last resource."""
    board = table(**only_nothing_left()).do("scan", "spend N03")
    assert board.result["reason"] == "no_resources"
    assert len(board["removed"]) == 12
    assert board["unseen"] == []


def test_nothing_without_a_markable_resource() -> None:
    """§12 10 nothing2010: no mark is asked for if nothing can be marked."""
    changes: Data = {"P06": (0, "R42"), "P05": (1, "")}
    position = only_nothing_left(**changes)
    position["collected"] = [position["collected"][0], position["collected"][1][:-4]]
    board = table(**position).do("scan", "spend N03")
    assert board["removed"][-1] == "R12"
    assert board["prompt"] == "main"
    assert board.whose == (0, 1)
    position["P05"] = (1, "R41")
    position["collected"] = [position["collected"][0], position["collected"][1][:-4]]
    board = table(**position, marks=["", "R41"]).do("scan", "spend N03")
    assert board["prompt"] == "main"  # only what the other player marked lies there


# --- §10 hidden resources -------------------------------------------------------------------------


def test_hidden_per_player() -> None:
    """§10 hidden_per_player: as many hidden resources with 3 to 5 players."""
    for players, most in ((3, 6), (4, 4), (5, 2)):
        for count in range(most + 1):
            data = new_games(players, 1, hidden_per_player=count)[0]
            assert [len(cards) for cards in data["hidden"]] == [count] * players
        with pytest.raises(TabletopError, match="use at most"):
            GAME.ruleset(players, hidden_per_player=most + 1)


def test_two_player_hidden() -> None:
    """§10 two_player_hidden: as many with two players; print has 3."""
    for count in (0, 2, 3, 12):
        data = new_games(2, 1, two_player_hidden=count)[0]
        assert [len(cards) for cards in data["hidden"]] == [count] * 2
    assert len(new_games(2, 1)[0]["hidden"][0]) == 2
    with pytest.raises(TabletopError, match="use at most 12"):
        GAME.ruleset(2, two_player_hidden=13)


def test_two_player_hidden_wins() -> None:
    """§12 10 two_player_hidden: with two players it counts, with more hidden_per_player."""
    both: Data = {"hidden_per_player": 1, "two_player_hidden": 3}
    for players, count in ((2, 3), (3, 1), (4, 1), (5, 1)):
        data = new_games(players, 1, **both)[0]
        assert [len(cards) for cards in data["hidden"]] == [count] * players


def test_hidden_fame() -> None:
    """§10 redeal_fame=False: fame may be hidden like any other card, and scores then."""
    hidden = Counter(
        card
        for data in new_games(2, 800, redeal_fame=False)
        for cards in data["hidden"]
        for card in cards
    )
    assert len(hidden) == 48
    fame = sum(count for card, count in hidden.items() if resource_name(card) == "fame*")
    assert fame / (800 * 4) == pytest.approx(6 / 48, rel=0.2)
    options = {"redeal_fame": False}
    result = scored(["", ""], ["R43 R44", "R01 R02"], options=options)
    assert result["scores"] == [10, 3]
    with pytest.raises(TabletopError, match="Fame is never hidden"):
        table(2, hidden=["R43 R44"])


# --- §10 marks ------------------------------------------------------------------------------------


def test_mark_on_each_planet() -> None:
    """§10 mark_scope=per_planet: a new mark lifts only the old one on the same planet."""
    position: Data = {
        "at": "P05",
        "P05": (2, "R14 R37"),
        "P06": (1, "R18"),
        "marks": ["R14 R18"],
        "hands": ["N03 N25"],
        "options": {"mark_scope": "per_planet"},
    }
    board = until("R32", position, "scan", "spend N25")
    assert board.do("mark dark energel").marks(0) == "R18 R32"
    position["marks"] = ["R18"]
    board = until("R32", position, "scan", "spend N25")
    assert board.do("mark dark energel").marks(0) == "R18 R32"


def test_per_planet_marks_are_exclusive() -> None:
    """§12 10 per_planet: one mark per player and planet, still one mark on a resource."""
    position: Data = {
        "at": "P05",
        "P05": (2, "R14 R37"),
        "marks": ["R14", "R37"],
        "hands": ["N03 N25"],
        "options": {"mark_scope": "per_planet"},
    }
    board = until("R32", position, "scan", "spend N25")
    assert sorted(board.legal) == ["decline", "mark dark energel"]
    assert board.do("mark dark energel").marks(0) == "R32"
    # Each marked planet can be harvested, and a claim hands out the marks of that planet only.
    position |= {"P05": (0, "R14"), "P06": (1, "R18 R22"), "marks": ["R14 R18", ""]}
    board = table(**position | {"hands": ["N20 N21"]}).do("claim")
    assert (board.collected(0), board.marks(0)) == ("R14", "R18")


def test_marking_is_a_duty() -> None:
    """§10 mark_optional=False: a mark must be placed if one can be."""
    position: Data = {"at": "P05", "P05": (2, "R14 R37"), "hands": ["N03 N25"]}
    position["options"] = {"mark_optional": False}
    board = until("R32", position, "scan", "spend N25")
    assert sorted(board.legal) == ["mark dark energel", "mark red gem", "mark water*"]
    assert board.refuses("decline")
    # With one possible resource the mark is placed at once.
    position |= {"P05": (2, "R14"), "marks": ["", "R14"]}
    board = until("R32", position, "scan", "spend N25")
    assert board.marks(0) == "R32"
    assert board.whose == (0, 1)


# --- §10 costs ------------------------------------------------------------------------------------


def test_scan_for_any_card() -> None:
    """§10 scan_cost=any_card: any one card pays for a scan."""
    position: Data = {"at": "P05", "P05": (2, "R14"), "options": {"scan_cost": "any_card"}}
    board = table(**position, hands=["N01 N33 N40"]).do("scan")
    assert board.targets("spend") == "N01 N33 N40"  # scan 1 and two without a scan code
    board.do("spend N40")
    assert (board.hand(0), board.planet("P05")[0]) == ("N01 N33", 1)
    assert "scan" not in table(**position).legal


def test_scan_for_free() -> None:
    """§10 scan_cost=free: a scan costs no card."""
    position: Data = {"at": "P05", "P05": (2, "R14"), "options": {"scan_cost": "free"}}
    for hand in ("", "N03 N25"):
        board = table(**position, hands=[hand]).do("scan")
        assert board["prompt"] == "mark"
        assert (board.hand(0), board["discard"]) == (hand, [])
        assert board.planet("P05")[0] == 1
    position["P05"] = (0, "R14")
    assert "scan" not in table(**position).legal


def test_marked_resources_are_free() -> None:
    """§10 harvest_cost=any_card_if_unmarked: what one has marked costs no card."""
    options = {"harvest_cost": "any_card_if_unmarked"}
    position: Data = {"at": "P05", "P05": (1, "R14"), "marks": ["R14"], "options": options}
    for hand in ("", "N03 N25"):
        board = table(**position, hands=[hand]).do("harvest at P05")
        assert (board.collected(0), board.hand(0), board["discard"]) == ("R14", hand, [])
        assert board.whose == (0, 1)
    open_planet: Data = {**position, "P05": (0, "R14 R37")}
    board = table(**open_planet, hands=["N03 N25"]).do("harvest at P05", "take water*")
    assert board.targets("spend") == "N03 N25"
    board = table(**open_planet).do("harvest at P05")  # without a card only the marked one
    assert (board.collected(0), board.planet("P05")[1]) == ("R14", "R37")
    assert "harvest at P05" not in board.legal


def test_harvest_for_free() -> None:
    """§10 harvest_cost=free: a harvest costs no card."""
    position: Data = {"at": "P05", "P05": (0, "R14 R37"), "options": {"harvest_cost": "free"}}
    board = table(**position).do("harvest at P05", "take water*", "harvest at P05")
    assert board.collected(0) == "R14 R37"
    assert board["discard"] == []
    position |= {"P05": (1, "R14 R37"), "marks": ["R14"]}
    board = table(**position, hands=["N01 N02"]).do("harvest at P05")
    assert (board.collected(0), board.hand(0)) == ("R14", "N01 N02")


# --- §10 landing and moving -----------------------------------------------------------------------

EQUAL: Data = {"landing_rule": "equal_pair"}


def test_equal_pairs() -> None:
    """§10 landing_rule=equal_pair: two cards with equal landing codes, whatever the planet has."""
    for name in ("P05", "P02", "P06"):
        position: Data = {"at": name, name: (0, "R14"), "options": EQUAL}
        assert "claim" in table(**position, hands=["N21 N25"]).legal  # 1 and 1
        assert "claim" in table(**position, hands=["N20 N46"]).legal  # 4 and 4
        assert "claim" not in table(**position, hands=["N21 N20"]).legal  # 1 and 4
        assert "claim" not in table(**position, hands=["N21 N03"]).legal  # 1 and none
        assert "claim" not in table(**position, hands=["N03 N04"]).legal  # none and none


def test_equal_pairs_with_wildcards() -> None:
    """§12 10 equal_pair: a wildcard equals any number, two wildcards are a pair."""
    board = table(at="P05", P05=(0, "R14"), hands=["N03 N20 N21 N22 N43"], options=EQUAL)
    board.do("claim")  # no landing code, 4, 1, W, W
    pairs = sorted(text.removeprefix("spend ") for text in board.legal)
    assert pairs == ["N20 N22", "N20 N43", "N21 N22", "N21 N43", "N22 N43"]


def test_fly_from_the_gate() -> None:
    """§10 fly_from_gate=True and §12 10 fly_from_gate: to any planet, without a card."""
    board = table(ring=RING, at="gate", options={"fly_from_gate": True})
    assert board.targets("fly") == RING
    board.do("fly to P06")
    assert board["locations"][0] == "P06"
    assert board.targets("fly") == "P05 P07"  # from a planet only to its neighbours


def test_no_jump_to_neighbours() -> None:
    """§10 jump_target=not_adjacent: not to the neighbours; from the Jump Gate to any planet."""
    options = {"jump_target": "not_adjacent"}
    board = table(ring=RING, at="P01", hands=["N01"], options=options)
    assert board.targets("jump") == "P03 P04 P05 P06"
    assert board.refuses("jump to P02", "jump to P07", "jump to P01")
    board = table(ring=RING, at="gate", hands=["N01"], options=options)
    assert board.targets("jump") == RING


def test_harvest_anywhere() -> None:
    """§10 harvest_where=anywhere: on every planet, by the conditions of that planet."""
    position: Data = {
        "ring": RING,
        "P02": (0, "R14"),
        "P03": (1, "R18 R19"),
        "P04": (1, "R22"),
        "P05": (0, "R37"),
        "marks": ["R18", "R37"],
        "hands": ["N40 N41"],
        "options": {"harvest_where": "anywhere"},
    }
    board = table(**position, at="P01 P01")
    assert board.targets("harvest") == "P02 P03"
    board.do("harvest at P03", "spend N40")
    assert (board.collected(0), board["locations"][0]) == ("R18", "P01")
    del position["marks"]
    board = table(**position, at="gate")
    assert board.targets("harvest") == "P02 P05"
    board.do("harvest at P05", "spend N40")
    assert (board.collected(0), board["locations"][0]) == ("R37", "gate")
    assert table(**position | {"hands": []}, at="gate").targets("harvest") == ""


# --- §10 end and points ---------------------------------------------------------------------------


def test_black_hole_limit() -> None:
    """§10 blackhole_limit: as many markers end the game and cost the leaders."""
    for limit, collected in ((1, ""), (2, "R17"), (3, "R17 R21")):
        position: Data = {"at": "P05", "P05": (0, "R13"), "hands": ["N40 N41"]}
        position |= {"collected": [collected], "hidden": ["R14 R15", "R18 R19"]}
        board = table(2, **position, options={"blackhole_limit": limit})
        assert not board.session.is_over
        board.do("harvest at P05", "spend N40")
        assert board.result["reason"] == "black_hole"
        assert board.scores[0] == limit  # a gem of each of `limit` colours, without hidden ones
        board = table(2, **position, options={"blackhole_limit": limit + 1})
        assert not board.do("harvest at P05", "spend N40").session.is_over


def test_planet_points() -> None:
    """§10 planet_points: as many for each planet."""
    assert points("", planets=3, planet_points=0) == 0
    assert points("", planets=3, planet_points=3) == 9
    assert points("", planets=3, planet_points=10) == 30


TIE: Data = {"tie_break": "fewest_blackhole_then_planets"}
SAND: list[str] = ["R01 R02", "R03 R04", "R05 R06"]
# Claimed planets with all of their resources, so that nobody has collected them.
B_HAS_ONE: Data = {"P01": (0, "R26 R27 R28 R29", 1)}
A_HAS_ONE: Data = {"P02": (0, "R32 R33 R34 R35", 0)}
A_HAS_TWO: Data = {**A_HAS_ONE, "P03": (0, "R38 R39 R40 R41", 0)}


def test_tie_break_by_markers() -> None:
    """§10 tie_break=fewest_blackhole_then_planets: of equal players the fewest markers win."""
    # A: fame 5, hidden sand 3. B: a gem 1, a planet 4, hidden sand 3.
    position: Data = {**B_HAS_ONE, "collected": ["R43", "R14", ""], "hidden": SAND}
    result = scored(**position)
    assert result["scores"][:2] == [8, 8]
    assert result["winners"] == [0, 1]
    assert scored(**position, options=TIE)["winners"] == [1]
    # Markers come before planets. A: fame 5, two planets 8. B: three gems 9, a planet 4.
    position |= {**A_HAS_TWO, "collected": ["R43", "R14 R15 R16", ""]}
    result = scored(**position, options=TIE)
    assert result["scores"][:2] == [16, 16]
    assert result["winners"] == [1]


def test_tie_break_by_planets() -> None:
    """§12 10 fewest_blackhole_then_planets: with equal markers more planets win, else shared."""
    # A: two planets 8. B: a planet 4 and two gems 4.
    position: Data = {"collected": ["", "R14 R15", ""], "hidden": SAND, **B_HAS_ONE}
    result = scored(**position, **A_HAS_TWO)
    assert result["scores"][:2] == [11, 11]
    assert result["winners"] == [0, 1]
    assert scored(**position, **A_HAS_TWO, options=TIE)["winners"] == [0]
    # One planet each.
    position |= {**A_HAS_ONE, "collected": ["R18 R19", "R14 R15", ""]}
    assert scored(**position, options=TIE)["winners"] == [0, 1]


def test_turn_cap() -> None:
    """§10 max_turns: truncated after so many finished turns."""
    board = table(3, options={"max_turns": 3})
    assert turns_until_the_end(board) == [0, 0, 1, 1, 2, 2]
    assert board.result["reason"] == "max_turns"


@pytest.mark.parametrize("name", ["print2010", "space_mission"])
def test_unavailable_rulesets(name: str) -> None:
    """§10 ruleset=print2010 and §10 ruleset=space_mission: a clear refusal."""
    with pytest.raises(TabletopError, match=f"{name}.*this ruleset is not available") as error:
        GAME.ruleset(2, ruleset=name)
    assert "not known" in str(error.value) or "are known" in str(error.value)


# --- §12 rulings on moves -------------------------------------------------------------------------


def test_neighbours_may_be_jumped_to() -> None:
    """§12 4.2 neighbours are targets of a jump."""
    board = table(ring=RING, at="P02", hands=["N02"])  # jump 1: P01, P02, P03
    assert board.targets("jump") == "P01 P03"


def test_marking_is_optional_and_local() -> None:
    """§12 4.3 optional, and only on this planet; what one has marked is not offered again."""
    position: Data = {
        "at": "P05",
        "P05": (2, "R14 R37"),
        "P06": (1, "R22 R23"),
        "marks": ["R14"],
        "hands": ["N03 N25"],
    }
    board = until("R32", position, "scan", "spend N25")
    assert sorted(board.legal) == ["decline", "mark dark energel", "mark water*"]
    assert board.refuses("mark red gem", "mark blue gem")


def test_moving_the_mark() -> None:
    """§12 4.3 moving the mark: the old resource is free at once for anybody."""
    position: Data = {
        "at": "P05 P06",
        "P05": (2, "R14"),
        "P06": (0, "R22"),
        "marks": ["R22"],
        "hands": ["N03 N25", "N40 N41"],
        "actions_left": 1,
    }
    board = until("R32", position, "scan", "spend N25")
    other = board.clone().do("decline")
    assert other["current_player"] == 1
    assert other.targets("harvest") == ""
    board.do("mark dark energel")
    assert board.targets("harvest") == "P06"
    board.do("harvest at P06", "spend N40")
    assert board.collected(1) == "R22"


def test_pair_of_wildcards() -> None:
    """§12 4.4 unordered pair: which card stands for which code does not matter."""
    hand = "N20 N21 N22 N32 N33"  # landing 4, 1, W, W, W
    for pair in combinations(hand.split(), 2):
        board = table(at="P05", P05=(0, "R01"), hands=[hand]).do("claim")
        text = f"spend {pair[0]} {pair[1]}"
        assert board.legal.count(text) == 1
        assert f"spend {pair[1]} {pair[0]}" not in board.legal
        assert board.do(text)["discard"] == list(pair)


def test_harvest_where_the_ship_is() -> None:
    """§12 4.5 where the ship is, not elsewhere."""
    board = table(
        at="P05", P05=(0, "R14"), P06=(0, "R15"), P01=(1, "R22"), marks=["R22"], hands=["N40"]
    )
    assert board.targets("harvest") == "P05"
    assert board.refuses("harvest at P06", "harvest at P01")


def test_when_to_reshuffle() -> None:
    """§12 4.6 when to reshuffle: only when a card must be drawn from an empty deck."""
    position: Data = {"hands": ["N01 N02 N03"], "deck": "N04 N05"}
    position["discard"] = all_but("N01 N02 N03 N04 N05")
    board = table(**position).do("research", "discard nothing")
    assert board.hand(0) == "N01 N02 N03 N04 N05"
    assert board["deck"] == []
    assert len(board["discard"]) == 43
    # The next who draws gets the discard pile, with the cards just discarded in it.
    board.do("research", "discard N01 N02 N03 N04 N05")
    assert board["discard"] == []
    assert len(board["deck"]) == 43


def test_research_that_does_nothing() -> None:
    """§12 4.6 five cards and no discard: not a legal action."""
    board = table(hands=["N01 N02 N03 N04 N05"]).do("research")
    assert "discard nothing" not in board.legal
    assert "discard nothing" in table(hands=["N01 N02 N03 N04"]).do("research").legal


# --- §12 rulings on the end -----------------------------------------------------------------------


def test_seventh_marker_during_a_claim() -> None:
    """§12 7 seventh marker during a claim: the pick is still asked, then the game ends."""
    board = table(**E3).do("claim")
    assert sum(board.markers) == 7
    assert board["prompt"] == "pick"
    assert not board.session.is_over
    assert board.do("decline").result["reason"] == "black_hole"


def test_last_turns() -> None:
    """§12 7 the current turn is finished, and the claimer has the very last turn."""
    for first_pass in (True, False):
        position = all_but_one_claimed(at="P01 P01", hands=["N21 N19"])
        board = table(**position)
        if first_pass:
            board.do("pass")
        board.do("claim")
        expected = [1, 1, 2, 2, 0, 0]
        assert turns_until_the_end(board) == (expected if first_pass else [0, *expected])


def test_reasons_at_once() -> None:
    """§12 7 two reasons at once: all are reported, and there are no final turns."""
    collected = ["R43 R44 R45", "R46 R47", "R48"]
    position = late(P05=(0, "R13"), options={}, collected=collected)
    board = table(**position).do("harvest at P05", "spend N40")
    assert board.result["reason"] == "black_hole+no_resources"
    # The last planet is claimed by the same action that brings the seventh marker.
    position = all_but_one_claimed(
        at="P01 P01", P01=(0, "R13"), hands=["N21 N19"], options={}, collected=collected
    )
    board = table(**position).do("claim", "take red gem*")
    assert board.result["reason"] == "black_hole"
    assert board["turn_count"] == 0
    # The last planet is claimed by the same action that takes the last resource.
    position = all_but_one_claimed(at="P01 P01", P01=(0, "R16"), P02=(0, "", 1), hands=["N21 N19"])
    board = table(**position).do("claim", "take red gem")
    assert board.result["reason"] == "no_resources"


@pytest.mark.parametrize(
    ("last", "limit", "actions_left", "reasons"),
    [
        ("R16", 48, 1, "no_resources planets_claimed"),
        ("R13", 3, 1, "black_hole no_resources planets_claimed"),
        ("R13 R16", 3, 1, "black_hole planets_claimed"),
        ("R16", 48, 2, "no_resources"),  # the final turns are not over yet
        ("R13", 3, 2, "black_hole no_resources"),
    ],
)
def test_reasons_with_the_last_final_turn(
    last: str, limit: int, actions_left: int, reasons: str
) -> None:
    """§12 7 two reasons at once: with the very last action of the final turns, up to three."""
    position = all_but_one_claimed(P01=(0, "", 0), P02=(0, last, 1), at="P02 P02", hands=["N40"])
    position |= {"final_turns_left": 1, "actions_left": actions_left}
    position["options"] = {"blackhole_limit": limit}  # R25 and R37 are collected already
    board = table(**position).do("harvest at P02")
    if board["prompt"] == "harvest":
        board.do("take red gem*")
    assert set(board.result["reason"].split("+")) == set(reasons.split())


def test_unit_of_max_turns() -> None:
    """§12 7 unit of max_turns: finished turns of all players, tested at the end of a turn."""
    board = table(3, options={"max_turns": 4}, turn_count=3, turn=1)
    assert not board.do("pass").session.is_over
    assert board.do("pass").result["reason"] == "max_turns"
    assert board["turn_count"] == 4
    # An end by a rule at the same moment comes first.
    position = all_but_one_claimed(P01=(0, "", 0), options={"max_turns": 4, "blackhole_limit": 48})
    position |= {"final_turns_left": 1, "actions_left": 1, "turn_count": 3}
    board = table(**position).do("pass")
    assert board.result["reason"] == "planets_claimed"
    assert not board.session.truncated


def black_hole_end() -> Table:
    """A harvests the seventh marker: markers 2, 2, 3."""
    position: Data = {"at": "P05 P05 P05", "P05": (0, "R37"), "hands": ["N40 N41"]}
    position["collected"] = ["R43", "R44 R45", "R46 R47 R48"]
    position["hidden"] = ["R14 R15", "R18 R19", "R22 R23"]
    return table(**position).do("harvest at P05", "spend N40")


def test_fewer_markers_than_the_leader() -> None:
    """§12 8 otherwise: who has fewer markers keeps the hidden cards at a Black Hole end too."""
    board = black_hole_end()
    assert board.markers == [2, 2, 3]
    assert board.scores == [5 + 2 + 4, 10 + 4, 15]


def test_what_is_shown_at_the_end() -> None:
    """§12 8, 6 what is shown at the end: kept hidden cards, not discarded ones."""
    board = black_hole_end()
    for player in range(3):
        seats = board.session.to_json(player)["seats"]
        shown = [seats[(owner - player) % 3]["hidden"] for owner in range(3)]
        assert shown[:2] == [{"red gem": 2}, {"white gem": 2}]
        assert shown[2] == ({"blue gem": 2} if player == 2 else None)
    # With fewer than seven markers all are shown; before the end none.
    options = {"max_turns": 1}
    hidden = ["R14 R15", "R18 R19", "R22 R23"]
    board = table(hidden=hidden, options=options, actions_left=1)
    assert [seat["hidden"] for seat in board.session.to_json(2)["seats"][1:]] == [None, None]
    board.do("pass")
    shown = [seat["hidden"] for seat in board.session.to_json(2)["seats"]]
    assert shown == [{"blue gem": 2}, {"red gem": 2}, {"white gem": 2}]


def test_what_counts_as_a_decision() -> None:
    """§12 11 length of random games: counted in decisions with two answers or more."""
    rng = Random("length")
    session = Session(GAME.ruleset(4))
    session.reset(3)
    decisions = 0
    while not session.is_over:
        assert len(session.legal_actions()) >= 2
        session.step(choose(session.legal_actions(), rng))
        decisions += 1
    assert session.result()["length"] == decisions
    # A jump with the only fitting card is one decision, with two fitting cards it is two.
    for hand, count in (("N02 N05", 1), ("N02 N03", 2)):
        board = table(at="P04", hands=[hand]).do("jump to P01")
        if count == 2:
            board.do("spend N02")
        assert board["decision_count"] == count
