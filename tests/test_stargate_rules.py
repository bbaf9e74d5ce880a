"""The rules of the Stargate TCG: set-up, turns, actions, resolving, winning (RULES.md §5-§15)."""

from dataclasses import replace

import numpy as np
import pytest
from stargate_positions import CARTER, TEALC, Table, deck_with

from stargate_env import rules, ruleset
from stargate_env.components import CardPool, load_cards
from stargate_env.program import compile_cards
from stargate_env.ruleset import make_rules, missing_of
from stargate_env.state import (
    ACTIONS,
    DISCARD,
    HAND,
    PROMPTS,
    SEAT_STRIDE,
    STATE,
)
from stargate_env.table import add_modifier, leave_play, put
from stargate_env.words import DIFF, SKILLS_VERB
from tabletop_core.errors import TabletopError
from tabletop_core.game import allocate
from tabletop_core.rng import seed_to_word

SUPPLY_RAID = "BS-199"  # Combat 4, 2 experience; success: the opponent loses 2 power
OLAF = "BS-069"  # support, cost 3, Combat 2
RAKNOR = "BS-101"  # team, Combat 2
SALISH_SPIRITS = "BS-270"  # obstacle, cost 2, Combat 2; failure: destroy a support character

EXAMPLE_HERO = deck_with(TEALC, SUPPLY_RAID, OLAF, OLAF, RAKNOR)
EXAMPLE_VILLAIN = deck_with(CARTER)


def worked_example():
    """§15 S2, S3: two glyphs, Supply Raid; Olaf twice in the hero's hand."""
    table = Table(EXAMPLE_HERO, EXAMPLE_VILLAIN)
    table.glyph("BS-167", "BS-105")
    table.glyph("BS-172", "BS-105")
    table.give(0, OLAF, OLAF)
    table.give(1, SALISH_SPIRITS, "BS-250", "BS-286")
    return table.start(SUPPLY_RAID)


def s3_up_to_the_complication(table):
    table.do("assign BS-105", "pass", f"play {OLAF}", "pass", f"assign {OLAF}")
    table.do(f"play {SALISH_SPIRITS}", f"boost with {OLAF}")
    return table.do("complicate with BS-250")


def test_action_ids_fit_the_promised_size():
    assert ACTIONS.count <= 1024
    assert STATE.itemsize <= 16 * 1024


# --- §5 set-up


def new_state(seed, decks=(CARTER, TEALC)):
    record, _ = make_rules(decks)
    states = allocate(STATE, 1)
    states[0].rng = seed_to_word(seed)
    rules.new_game(record[0], states[0])
    return record[0], states[0]


def test_victory_totals_are_the_opponents_points_and_the_highest_begins():
    """§5 U2, U3."""
    weak = deck_with(TEALC, RAKNOR)
    _, s = new_state(1, (weak, CARTER))
    points = [sum(card.point_value for card in cards) for cards in teams((weak, CARTER))]
    assert [int(total) for total in s.victory_total] == [points[1], points[0]]
    assert int(s.hero) == int(np.argmax(s.victory_total))


def teams(decks):
    _, tables = make_rules(decks)
    return [cards[:4] for cards in tables.lists]


def test_a_tie_is_decided_at_random():
    """§5 U3."""
    assert {int(new_state(seed)[1].hero) for seed in range(12)} == {0, 1}


def test_set_up_asks_for_the_stop_and_for_both_hands():
    """§5 U4-U7."""
    r, s = new_state(3)
    first = int(s.hero)
    assert (PROMPTS[s.prompt], int(s.current_player)) == ("team_stop", 1 - first)
    rules.apply_action(r, s, ACTIONS.first("other") + 2)
    assert s.condition[first * SEAT_STRIDE + 2] == 2
    assert (PROMPTS[s.prompt], int(s.current_player)) == ("mulligan", first)
    before = s.zones[HAND].copy()
    rules.apply_action(r, s, ACTIONS.first("yes"))
    assert not np.array_equal(before, s.zones[HAND])
    assert (PROMPTS[s.prompt], int(s.current_player)) == ("mulligan", 1 - first)
    rules.apply_action(r, s, ACTIONS.first("no"))
    assert [int(size) for size in s.deck_size] == [36, 36]


# --- §15.1 the worked example


def test_s2_power_is_three_and_the_heros_glyphs():
    assert worked_example().power == [5, 5]


def test_s3_the_worked_example_succeeds():
    table = s3_up_to_the_complication(worked_example())
    assert (table.hero_total, table.difficulty) == (6, 7)
    assert table.power == [2, 2]
    table.do(f"assign {RAKNOR}")
    assert table.hero_total == 8
    table.do("pass")
    assert table.prompt == "main"  # single passes earlier did not end the step
    table.do("pass")
    assert table.prompt == "recipient"


def test_s4_the_success_text_and_the_glyph():
    table = s3_up_to_the_complication(worked_example())
    table.do(f"assign {RAKNOR}", "pass", "pass")
    assert table.power == [2, 0]
    assert [table.condition(card) for card in ("BS-105", OLAF, RAKNOR)] == ["stopped"] * 3
    assert table.zone(SALISH_SPIRITS) == "discard"
    assert "discard" in table.zones("BS-250")
    assert sorted(table.legal) == sorted(f"choose {card}" for card in ("BS-105", OLAF, RAKNOR))
    table.do("choose BS-105")
    assert table.glyphs_of("BS-105") == 3


def test_s5_without_raknor_it_fails_and_olaf_is_destroyed():
    table = s3_up_to_the_complication(worked_example())
    table.do("pass", "pass")
    assert table.zones(OLAF) == ["discard", "discard"]
    assert table.zone(SUPPLY_RAID) == "failed"
    assert table.prompt == "continue"


def test_s6_complications_cost_one_more_each():
    table = Table()
    cards = [card.card_id for card in table.tables.lists[1][16:]][::4][:4]
    table.give(1, *cards)
    table.start("BS-183", power=9)
    table.do("pass")
    for spent, card in ((1, cards[0]), (3, cards[1]), (6, cards[2])):
        table.do(f"complicate with {card}", "pass")
        assert table.power[1] == 9 - spent


def test_s6_a_destroyed_complication_no_longer_counts():
    table = Table()
    cards = [card.card_id for card in table.tables.lists[1][16:]][::4][:4]
    table.give(1, *cards)
    table.start("BS-183", power=9).do("pass")
    for card in cards[:3]:
        table.do(f"complicate with {card}", "pass")
    leave_play(table.s, int(table.s.complications[0]), DISCARD)
    table.look_again()
    before = table.power[1]
    table.do(f"complicate with {cards[3]}")
    assert before - table.power[1] == 3


def test_s7_a_glyph_in_an_ability_and_its_stop():
    maybourne = "BS-093"
    hero = deck_with(TEALC, maybourne)
    table = Table(hero, CARTER).start("BS-195")
    assert f"use {maybourne}" not in table.legal
    table = Table(hero, CARTER)
    table.glyph("BS-181", maybourne)  # Scorpius
    table.start("BS-195")
    table.do(f"use {maybourne}")
    assert table.condition(maybourne) == "stopped"
    assert table.glyphs_of(maybourne) == 1
    table.do("pass")
    assert f"use {maybourne}" not in table.legal


def test_s8_a_glyph_text_works_once():
    markov = "BS-104"
    hero = deck_with(TEALC, markov)
    table = Table(hero, CARTER)
    table.start("BS-195")
    assert table.ratings(markov)[3] == 2
    for missions in (("BS-167",), ("BS-167", "BS-177")):
        table = Table(hero, CARTER)
        for mission in missions:  # both Triangulum
            table.glyph(mission, markov)
        table.start("BS-195")
        assert table.ratings(markov)[3] == 3


def fail_mission(table):
    return table.do("pass", "pass")


def test_s9_continuing_costs_one_for_each_failed_mission():
    table = Table().start("BS-183", "BS-204", "BS-202", power=3)
    fail_mission(table)
    assert table.prompt == "continue"
    table.do("yes")
    assert table.power == [2, 4]
    fail_mission(table)
    table.do("yes")
    assert table.power == [0, 6]
    hero = table.s.hero
    fail_mission(table)  # three failures cost 3: not possible, so the turn ends by itself
    assert table.s.hero != hero or table.prompt == "order_missions"


def test_s9_a_success_is_free():
    table = Table().start("BS-183")
    table.do("assign BS-102", "pass", "assign BS-100", "pass", "assign BS-086", "pass", "pass")
    assert table.s.succeeded == 1
    table.do("choose BS-102", "yes")
    assert table.power == [3, 3]


def test_s10_both_active_players_refill_to_eight():
    table = Table()
    table.give(0, *[card.card_id for card in table.tables.lists[0][16:22]])
    table.give(1, *[card.card_id for card in table.tables.lists[1][16:21]])
    table.start("BS-183")
    fail_mission(table).do("no")
    assert [len(table.hand(seat)) for seat in (0, 1)] == [8, 8]


def test_s12_the_glyphs_of_a_destroyed_support_go_under_the_pile():
    table = Table(EXAMPLE_HERO, EXAMPLE_VILLAIN)
    table.put_into_play(0, OLAF)
    table.glyph("BS-167", OLAF)
    table.glyph("BS-172", OLAF)
    table.give(1, SALISH_SPIRITS)
    table.start(SUPPLY_RAID)
    table.do("pass", f"play {SALISH_SPIRITS}", "pass", "pass")
    assert table.prompt == "order_missions"
    table.do("choose BS-172")
    assert table.glyphs_of(OLAF) == 0
    bottom = [table.tables.lists[0][int(k)].card_id for k in table.s.missions[0][:2]]
    assert bottom == ["BS-167", "BS-172"]


# --- §15.2


def judged(succeeds):
    """Kinsey (Culture, Ingenuity; revive cost 4) assigned, three cards in the villain's deck."""
    table = Table(TEALC, CARTER)
    table.put_into_play(1, "BS-020")
    table.s.deck_size[1] = 3
    table.start("BS-167").do("pass", "assign BS-020")
    if succeeds:
        table.s.modifier_count = 0
        add_modifier(table.s, DIFF, 2, 0, 0, int(table.s.current), 0)
        add_modifier(table.s, DIFF, 1, 0, 9, table.card("BS-020", 1), 0)
    return table.do("pass", "pass")


def test_a1_reviving_needs_the_cards_and_scoring_a_failure():
    assert judged(succeeds=False).legal == ["score", "let die"]
    assert judged(succeeds=True).zone("BS-020", 1) == "discard"  # only `let die` was legal


def test_a2_a_missing_rating_is_not_zero():
    table = Table(CARTER, TEALC)
    table.put_into_play(0, "BS-072")  # Osbourne: Science alone
    table.start("BS-187")
    assert "assign BS-072" not in table.legal
    table = Table(TEALC, CARTER).start("BS-163")  # Science: Teal'c has 0
    if table.prompt != "main":
        table.do(table.legal[0])
    assert "assign BS-105" in table.legal or table.condition("BS-105") == "stopped"


def test_a3_modifiers_are_summed_before_they_are_clamped():
    """N4: 1 - 2 + 1 is 0."""
    table = Table(TEALC, CARTER).start("BS-195")
    card = table.card("BS-105")
    before = table.ratings("BS-105")[3]
    verb = SKILLS_VERB
    add_modifier(table.s, verb, 1, 0, before + 1, card, card)
    add_modifier(table.s, verb, 0, 0, 1, card, card)
    assert table.ratings("BS-105")[3] == 0


def test_a8_an_empty_deck_stops_the_draw():
    table = Table()
    table.give(0, *[card.card_id for card in table.tables.lists[0][16:21]])
    table.start("BS-183")
    table.s.deck_size[0] = 1
    fail_mission(table).do("no")
    assert len(table.hand(0)) == 6


def test_a12_the_heros_own_adversaries_are_ignored():
    table = Table(CARTER, TEALC)
    table.put_into_play(0, "BS-020")
    table.put_into_play(1, "BS-026")
    table.start("BS-193")  # Culture: both have a rating
    assert "assign BS-020" not in table.legal
    assert "assign BS-026" in table.do("pass").legal


def test_hands_above_eight_are_discarded():
    table = Table()
    table.give(0, *[card.card_id for card in table.tables.lists[0][16:26]])
    table.start("BS-183")
    fail_mission(table).do("no")
    assert (table.prompt, table.player) == ("discard", 0)
    table.do(table.legal[0], table.legal[0])
    assert len(table.hand(0)) == 8


def test_failed_missions_go_under_the_pile_in_the_heros_order():
    """§7 DEBRIEF_MISSIONS, D18."""
    table = Table().start("BS-183", "BS-204", power=3)
    fail_mission(table).do("yes")
    fail_mission(table).do("no")
    assert table.prompt == "order_missions"
    table.do("choose BS-204")
    bottom = [table.tables.lists[0][int(k)].card_id for k in table.s.missions[0][:2]]
    assert bottom == ["BS-183", "BS-204"]


def test_score_pile_and_glyphs_win():
    """§10 W1, W3."""
    table = Table()
    for mission in [card.card_id for card in table.tables.lists[0][4:16]][:7]:
        table.glyph(mission, "BS-102")
    rules.run(table.r, table.s)
    assert table.s.end_reasons & 1 and table.s.winner == 0
    table = Table(TEALC, CARTER)
    cards = [n for n, card in enumerate(table.tables.lists[1]) if card.card_type == 6]
    for number in cards:
        put(table.s, SEAT_STRIDE + number, 12)
    rules.run(table.r, table.s)
    assert table.s.end_reasons == 4 and table.s.winner == 1


# --- §9.1 ships


HERO_SHIPS = {"RO-217": 1, "RO-208": 2, "RO-214": 3, "RO-207": 4}
VILLAIN_SHIPS = {"RO-223": 1, "RO-227": 3, "RO-240": 4}


def battle(hero_ships, villain_ships, power=0):
    """Ships assigned to a mission, both players have passed."""
    table = Table(deck_with(CARTER, *HERO_SHIPS), deck_with(TEALC, *VILLAIN_SHIPS))
    table.put_into_play(0, *hero_ships)
    table.put_into_play(1, *villain_ships)
    table.start("BS-183", power=power)
    for ship in (*hero_ships, *villain_ships):
        table.s.condition[table.card(ship)] = 1
    table.look_again()
    return table.do("pass", "pass")


@pytest.mark.parametrize(
    ("hero_ships", "villain_ships", "winner"),
    [
        (["RO-214"], ["RO-227", "RO-223"], 1),  # 3 against 4
        (["RO-207"], ["RO-227", "RO-223"], None),  # 4 against 4
        (["RO-207", "RO-217"], ["RO-240"], 0),  # 5 against 4
        (["RO-217"], [], 0),  # alone
        ([], ["RO-223"], 1),
        ([], [], None),
    ],
)
def test_a4_the_higher_firepower_wins(hero_ships, villain_ships, winner):
    table = battle(hero_ships, villain_ships)
    assert int(table.s.battle_winner) == (255 if winner is None else winner)
    if winner is not None and hero_ships and villain_ships:
        assert (table.prompt, table.player) == ("ship", winner)
    else:
        assert table.prompt != "ship"


def test_the_winner_may_hit_a_ship_before_the_result():
    """§9.1 step 3, §3.2: it leaves the mission and recovers as a stopped one."""
    table = battle(["RO-214"], ["RO-240"], power=3)
    assert table.legal == ["no", "choose their RO-214"]
    table.do("choose their RO-214")
    assert table.condition("RO-214") == "incap"
    assert table.condition("RO-240") == "stopped"  # §9.3 step 4


def test_victory_texts_are_used():
    table = battle(["RO-214", "RO-217"], ["RO-227"])  # Prometheus promotes a team character
    assert int(table.s.battle_winner) == 0
    table.do("no", "choose BS-102")
    assert table.s.tokens[table.card("BS-102", 0)] == 1


def test_ships_fly_to_any_mission_in_any_number_and_are_boosted():
    table = Table(deck_with(CARTER, "RO-208", "RO-208"), TEALC)
    table.put_into_play(0, "RO-208")
    table.give(0, "RO-208")
    table.start("BS-193").do("assign RO-208", "no", "pass", "boost with RO-208", "pass", "pass")
    assert int(table.s.battle_winner) == 0


def test_a_named_ship_is_unique_and_a_class_is_not():
    """§1, §8.1."""
    table = Table(deck_with(CARTER, "RO-208", "RO-208", "RO-214", "RO-214"), TEALC)
    table.put_into_play(0, "RO-208", "RO-214")
    table.give(0, "RO-208", "RO-214")
    legal = table.start("BS-183", power=9).legal
    assert "play RO-208" in legal and "play RO-214" not in legal


# --- refusals


def test_decks_that_need_more_than_the_machine_can_are_refused(monkeypatch):
    monkeypatch.setattr(ruleset, "IMPLEMENTED", ruleset.IMPLEMENTED - {"verb TUCK"})
    with pytest.raises(TabletopError, match="BS-009 Fifth.*verb TUCK"):
        make_rules([deck_with(CARTER, "BS-009"), TEALC])


@pytest.mark.parametrize(
    ("cost", "need"),
    [
        ("DISCARD(H.hand,1)", "tax of other costs"),
        ("PAY(1)+STOP(char[!each],1)", "tax of other costs"),
        ("STOP(team[!each],1)", "tax STOP of other cards"),
        ("STOP(char,1)", "tax STOP of other cards"),
        ("DESTROY(support[!each],any)", "tax DESTROY of other cards"),
    ],
)
def test_taxes_that_cannot_be_counted_together_are_refused(cost, need):
    card = replace(load_cards().by_id["BS-278"], effect=f"STATIC: ASSIGN_TAX(char,all){{{cost}}}")
    compiled = compile_cards(CardPool("taxes", (card,)), [card])
    assert list(missing_of(card, compiled)) == [need]


def test_illegal_decks_are_refused():
    with pytest.raises(TabletopError, match="E_COPIES"):
        make_rules([deck_with(CARTER, "BS-130"), TEALC])
    with pytest.raises(TabletopError, match="2 to 6 players.*not for 1 decks"):
        make_rules([CARTER])
