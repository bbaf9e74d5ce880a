"""What single cards do: scenarios whose outcome is written by hand from the rows of the pool.

Each scenario names its card; a test demands one for every card of the decks that can be played.
"""

import pytest
from stargate_positions import CARTER, TEALC, Table, deck_with

from stargate_env.state import DISCARD, LOOKED_AT, VSCORE
from stargate_env.table import add_modifier, current_rating, leave_play, put, remove_from_deck
from stargate_env.words import DIFF

SCENARIOS = []


def card(card_id):
    """Register a scenario of a card."""

    def note(function):
        SCENARIOS.append(pytest.param(function, id=f"{card_id}-{function.__name__}"))
        function.card_id = card_id
        return function

    return note


def carter():
    """Carter's deck is the hero's, Teal'c's the villain's."""
    return Table(CARTER, TEALC)


def tealc():
    """The other way round."""
    return Table(TEALC, CARTER)


# --- events


@card("BS-136")
def top_minds_stops_two_characters_to_destroy_an_obstacle():
    table = carter()
    table.give(0, "BS-136")
    table.give(1, "BS-219", "BS-265")
    table.start("BS-183", power=7).do("pass", "play BS-219", "pass", "play BS-265")
    table.do("play BS-136", "choose BS-102", "choose BS-095")
    assert table.condition("BS-102") == table.condition("BS-095") == "stopped"
    table.do("choose their BS-265")
    assert table.zones("BS-265", 1).count("discard") == 1
    assert "at_mission" in table.zones("BS-219", 1)
    assert table.power[0] == 4 and "discard" in table.zones("BS-136")


@card("BS-136")
def top_minds_cannot_be_paid_with_one_ready_character():
    table = carter()
    table.give(0, "BS-136")
    for name in ("BS-102", "BS-100", "BS-095"):
        table.s.condition[table.card(name, 0)] = 2
    table.start("BS-183", power=7)
    assert "play BS-136" not in table.legal


@card("BS-130")
def seasoned_travelers_adds_the_glyphs_of_the_chosen_one():
    table = carter()
    table.give(0, "BS-130")
    table.glyph("BS-182", "BS-095")
    table.glyph("BS-202", "BS-095")
    table.start("BS-183").do("play BS-130", "choose BS-095")
    assert table.ratings("BS-095") == [2, 3, 5, 5]
    assert table.ratings("BS-100") == [2, 2, 2, 0]


@card("BS-125")
def receiving_a_go_looks_at_one_mission_for_each_ready_sgc():
    table = carter()
    table.give(0, "BS-125")
    table.start("BS-183", "BS-193", "BS-204", "BS-202").do("play BS-125")
    assert table.prompt == "scry"
    assert sorted(table.legal) == ["choose BS-193", "choose BS-202", "choose BS-204", "done"]
    table.do("choose BS-193", "done", "choose BS-204")  # BS-202 is the last and goes on top
    pile = [table.tables.lists[0][int(k)].card_id for k in table.s.missions[0]]
    assert pile[0] == "BS-193" and pile[9:11] == ["BS-204", "BS-202"]


@card("BS-119")
def loyal_sacrifice_readies_as_many_as_died():
    table = tealc()
    table.give(0, "BS-119")
    table.put_into_play(0, "BS-029", "BS-045")
    for name in ("BS-105", "BS-091"):
        table.s.condition[table.card(name, 0)] = 2
    table.start("BS-195").do("play BS-119")
    assert sorted(table.legal) == ["choose BS-029", "choose BS-045", "done"]
    table.do("choose BS-045", "done")
    assert "discard" in table.zones("BS-045")
    table.do("choose BS-091")
    assert (table.condition("BS-091"), table.condition("BS-105")) == ("ready", "stopped")


@card("BS-132")
def special_training_raises_science_by_one():
    table = tealc()
    table.give(0, "BS-132")
    table.start("BS-195").do("play BS-132", "choose BS-105")
    assert table.ratings("BS-105") == [2, 1, 3, 1]
    assert table.power[0] == 2


# --- support characters and gear


@card("BS-072")
def osbourne_stops_to_draw():
    table = carter()
    table.put_into_play(0, "BS-072")
    table.start("BS-183").do("use BS-072")
    assert len(table.hand(0)) == 1 and table.condition("BS-072") == "stopped"
    assert "use BS-072" not in table.do("pass").legal


@card("BS-067")
def nyan_takes_two_and_gives_one():
    table = carter()
    table.put_into_play(0, "BS-067")
    table.start("BS-180", power=4)
    assert table.zone("BS-067") == "discard"  # BS-180 destroys a support character
    table = carter()
    table.put_into_play(0, "BS-067")
    table.start("BS-204", power=4).do("assign BS-067", "pass", "assign BS-100", "pass", "pass")
    assert table.s.succeeded == 1 and table.power == [5, 2]


@card("BS-062")
def malek_moves_a_glyph_when_he_is_played():
    table = carter()
    table.give(0, "BS-062")
    table.glyph("BS-202", "BS-102")
    table.start("BS-183", power=4).do("play BS-062", "yes")
    assert "choose BS-102" not in table.legal
    table.do("choose BS-062")
    assert (table.glyphs_of("BS-102"), table.glyphs_of("BS-062")) == (0, 1)


@card("BS-062")
def malek_does_not_ask_without_a_glyph():
    table = carter()
    table.give(0, "BS-062")
    table.start("BS-183", power=4).do("play BS-062")
    assert (table.prompt, table.player) == ("main", 1)


@card("BS-143")
def the_memory_device_trades_a_card_for_one_in_the_deck():
    table = carter()
    table.put_into_play(0, "BS-143")
    table.give(0, "BS-072", "BS-067")
    table.start("BS-183").do("use BS-143", "choose BS-072")
    assert table.condition("BS-143") == "stopped"
    assert table.hand(0) == ["BS-067"]
    assert "discard" not in table.zones("BS-072", 0)  # the only hero card there went back
    table = carter()
    table.put_into_play(0, "BS-143")
    assert "use BS-143" not in table.start("BS-183").legal  # no card to discard


@card("BS-037")
def dreyauc_costs_two_less_after_a_success():
    table = carter()
    table.give(0, "BS-037")
    table.start("BS-183", power=2)
    assert "play BS-037" not in table.legal
    table.s.success_turn[1] = 1
    table.look_again()
    assert table.do("play BS-037").power[0] == 1


@card("BS-029")
def artok_is_cheaper_at_combat_missions_and_with_complications():
    for mission, complications, cost in (("BS-195", 0, 2), ("BS-195", 1, 1), ("BS-181", 0, 3)):
        table = tealc()
        table.give(0, "BS-029")
        table.give(1, "BS-250")
        table.start(mission, power=9).do("pass")
        table.do("complicate with BS-250")
        if not complications:
            forget_complication(table)
        before = table.power[0]
        table.do("play BS-029")
        assert before - table.power[0] == cost


def forget_complication(table):
    leave_play(table.s, int(table.s.complications[0]), DISCARD)
    table.look_again()


@card("BS-045")
def gerak_is_stronger_while_four_power_is_left():
    table = tealc()
    table.put_into_play(0, "BS-045")
    table.start("BS-195", power=4)
    assert table.ratings("BS-045") == [3, -1, 2, -1]
    table.s.power[0] = 3
    table.s.is_stale = 1
    assert table.ratings("BS-045") == [2, -1, 1, -1]


@card("BS-080")
def tolok_pays_two_and_a_card_to_ready_another_jaffa():
    table = tealc()
    table.give(0, "BS-080", "BS-072")
    table.s.condition[table.card("BS-087", 0)] = 2
    table.start("BS-195", power=5).do("play BS-080", "yes")
    assert table.power[0] == 0 and table.hand(0) == []
    assert table.condition("BS-087") == "ready"
    table = tealc()
    table.give(0, "BS-080", "BS-072")
    table.start("BS-195", power=4).do("play BS-080")
    assert (table.prompt, table.player) == ("main", 1)  # one power is not enough


# --- team characters


@card("BS-102")
def carter_turns_an_obstacle_face_down_with_a_triangulum():
    table = carter()
    table.give(1, "BS-219")
    table.glyph("BS-202", "BS-102")
    table.start("BS-183", power=7).do("pass", "play BS-219")
    assert table.difficulty == 5 + 2
    table.do("use BS-102")
    assert table.difficulty == 5 + 1
    assert table.zones("BS-219", 1).count("complication") == 1
    assert table.condition("BS-102") == "stopped"


@card("BS-100")
def martouf_raises_others_that_share_a_glyph():
    table = carter()
    table.glyph("BS-202", "BS-100")
    table.glyph("BS-204", "BS-095")
    table.glyph("BS-182", "BS-086")
    table.start("BS-183")
    assert table.ratings("BS-095") == [1, 2, 4, 4]
    assert table.ratings("BS-100") == [2, 2, 2, 0]
    assert table.ratings("BS-102") == [1, 3, 2, 1]


@card("BS-095")
def oneill_gives_power_with_gemini_and_libra():
    table = carter()
    table.glyph("BS-178", "BS-095")
    assert table.start("BS-183").power[0] == 4
    table = carter()
    table.glyph("BS-178", "BS-095")
    table.glyph("BS-159", "BS-095")
    assert table.start("BS-183").power == [6, 5]


@card("BS-086")
def balinsky_is_stronger_with_more_glyphs_than_obstacles():
    table = carter()
    table.glyph("BS-202", "BS-086")
    table.give(1, "BS-219")
    table.start("BS-183", power=5)
    assert table.ratings("BS-086") == [3, 3, 2, 2]
    table.do("pass", "play BS-219")
    assert table.ratings("BS-086") == [2, 2, 1, 1]


@card("BS-105")
def tealc_makes_complications_dearer_for_each_glyph():
    for missions, cost in (((), 1), (("BS-163",), 2), (("BS-163", "BS-173"), 3)):
        table = tealc()
        for mission in missions:
            table.glyph(mission, "BS-105")
        table.give(1, "BS-250")
        table.start("BS-195", power=9).do("assign BS-105", "complicate with BS-250")
        assert table.power[1] == 9 - cost


@card("BS-087")
def bratac_raises_jaffa_support_while_ready():
    table = tealc()
    table.put_into_play(0, "BS-029")
    table.glyph("BS-181", "BS-087")  # Scorpius
    table.start("BS-195")
    assert table.ratings("BS-029")[2] == 3
    table.do("assign BS-087")
    assert table.ratings("BS-029")[2] == 2


@card("BS-087")
def bratac_raises_twice_with_gemini_and_pisces_too():
    table = tealc()
    table.put_into_play(0, "BS-029")
    for mission in ("BS-181", "BS-172", "BS-173"):
        table.glyph(mission, "BS-087")
    assert table.start("BS-195").ratings("BS-029")[2] == 4


@card("BS-091")
def daniels_combat_grows_with_gemini_and_triangulum():
    table = tealc()
    table.glyph("BS-172", "BS-091")
    assert table.start("BS-195").ratings("BS-091") == [3, 1, 2, 2]
    table = tealc()
    table.glyph("BS-172", "BS-091")
    table.glyph("BS-177", "BS-091")
    assert table.start("BS-195").ratings("BS-091") == [3, 1, 3, 2]


# --- obstacles


def failed(table, obstacle, *choices):
    """The villain plays an obstacle, nobody is assigned, the mission fails."""
    table.do("pass", f"play {obstacle}", "pass", "pass")
    return table.do(*choices)


@card("BS-219")
def cloaked_ashrak_destroys_a_support_character():
    table = tealc()
    table.put_into_play(0, "BS-029", "BS-045")
    table.give(1, "BS-219")
    failed(table.start("BS-195"), "BS-219")
    assert table.player == 1
    table.do("choose their BS-045")
    assert "discard" in table.zones("BS-045") and "play" in table.zones("BS-029")


@card("BS-250")
def language_barrier_has_no_text():
    table = tealc()
    table.give(1, "BS-250")
    table.start("BS-167").do("pass", "play BS-250")
    assert table.difficulty == 8


@card("BS-260")
def parasitic_insects_stop_a_team_character():
    table = tealc()
    table.give(1, "BS-260")
    failed(table.start("BS-181", power=3), "BS-260", "choose their BS-105")
    assert table.condition("BS-105") == "stopped"


@card("BS-265")
def red_sky_grows_with_failed_missions():
    table = tealc()
    table.give(1, "BS-265")
    table.start("BS-167", power=5).do("pass", "play BS-265")
    assert table.difficulty == 7
    table.s.fail_turn = 2
    table.s.is_stale = 1
    assert table.difficulty == 9


@card("BS-270")
def salish_spirits_destroy_a_support_character():
    table = tealc()
    table.put_into_play(0, "BS-029")
    table.give(1, "BS-270")
    failed(table.start("BS-195"), "BS-270")
    assert "play" not in table.zones("BS-029")


@card("BS-272")
def serpent_guards_are_free_against_a_team_character_without_glyph():
    table = tealc()
    table.give(1, "BS-272")
    table.start("BS-195", power=0).do("pass")
    assert "play BS-272" not in table.legal
    table = tealc()
    table.give(1, "BS-272")
    assert "play BS-272" in table.start("BS-195", power=0).do("assign BS-105").legal
    table = tealc()
    table.give(1, "BS-272")
    table.glyph("BS-163", "BS-105")
    assert "play BS-272" not in table.start("BS-195", power=0).do("assign BS-105").legal


@card("BS-277")
def telekinetic_mutants_let_the_hero_choose_who_stops():
    table = tealc()
    table.give(1, "BS-277")
    table.start("BS-167", power=4).do("pass", "play BS-277")
    assert table.player == 0
    table.do("choose BS-091")
    assert table.condition("BS-091") == "stopped"


@card("BS-286")
def water_based_life_forms_stop_or_destroy():
    for option, zone, condition in (
        ("option 1", "play", "stopped"),
        ("option 2", "discard", "ready"),
    ):
        table = tealc()
        table.put_into_play(0, "BS-029")
        table.give(1, "BS-286")
        failed(table.start("BS-167"), "BS-286", option)
        if option == "option 1":
            table.do("choose their BS-105")
        assert zone in table.zones("BS-029") and table.condition("BS-105") == condition


@card("BS-216")
def brainwashing_blocks_a_support_and_destroys_it_on_failure():
    table = carter()
    table.put_into_play(0, "BS-067", "BS-072")
    table.give(1, "BS-216")
    table.start("BS-183", power=5).do("pass", "play BS-216", "choose their BS-072")
    assert "assign BS-072" not in table.legal
    table.do("pass", "pass")
    assert "play" not in table.zones("BS-072", 0) and "play" in table.zones("BS-067")


@card("BS-216")
def the_block_ends_when_the_obstacle_is_turned_face_down():
    """§15 A6."""
    table = carter()
    table.put_into_play(0, "BS-072")
    table.glyph("BS-202", "BS-102")
    table.give(1, "BS-216")
    table.start("BS-183", power=5).do("pass", "play BS-216")
    assert "assign BS-072" not in table.legal
    table.do("use BS-102", "pass")
    assert "assign BS-072" in table.legal
    assert table.difficulty == 6


@card("BS-258")
def out_of_your_depth_takes_a_science_obstacle_back():
    table = carter()
    table.give(1, "BS-258", "BS-265")
    put(table.s, table.card("BS-265", 1, "hand"), DISCARD)
    failed(table.start("BS-183"), "BS-258", "yes")
    assert table.hand(1) == ["BS-265"]
    table = carter()
    table.give(1, "BS-258")
    failed(table.start("BS-183"), "BS-258")
    assert table.prompt == "continue"  # nothing to take: not asked


@card("BS-276")
def team_compromised_lets_the_hero_block_one_ready_character():
    table = carter()
    table.give(1, "BS-276")
    table.start("BS-183").do("pass", "play BS-276")
    assert table.player == 0
    table.do("choose BS-086")
    assert "assign BS-086" not in table.legal and "assign BS-102" in table.legal


@card("BS-278")
def tight_rein_takes_another_character_for_each_assignment():
    table = carter()
    table.give(1, "BS-278")
    table.start("BS-175", power=5).do("pass", "play BS-278", "assign BS-102")
    assert "choose BS-102" not in table.legal
    table.do("choose BS-100", "pass")
    assert (table.condition("BS-102"), table.condition("BS-100")) == ("assigned", "stopped")
    table.do("assign BS-095", "choose BS-086", "pass")
    assert [name for name in table.legal if name.startswith("assign")] == []


# --- adversaries


@card("BS-004")
def apophis_is_bought_off_with_two_or_takes_one():
    table = carter()
    table.put_into_play(1, "BS-004")
    table.start("BS-175").do("pass", "assign BS-004", "yes", "choose BS-086", "choose BS-100")
    assert [table.condition(name) for name in ("BS-086", "BS-100", "BS-102")] == [
        "stopped",
        "stopped",
        "ready",
    ]
    table = carter()
    table.put_into_play(1, "BS-004")
    table.start("BS-175").do("pass", "assign BS-004", "no")
    assert (table.prompt, table.player) == ("may", 1)
    table.do("yes", "choose their BS-095")
    assert table.condition("BS-095") == "stopped"


@card("BS-020")
def kinsey_grows_with_failed_missions():
    table = tealc()
    table.put_into_play(1, "BS-020")
    table.start("BS-167").do("pass", "assign BS-020")
    assert table.difficulty == 5 + 3
    table.s.fail_turn = 1
    table.s.is_stale = 1
    assert table.difficulty == 5 + 4


@card("BS-026")
def yu_grows_with_successes():
    table = carter()
    table.put_into_play(1, "BS-026")
    table.start("BS-193").do("pass", "assign BS-026")
    assert table.difficulty == 5 + 2
    table.s.success_turn[:] = 1
    table.s.is_stale = 1
    assert table.difficulty == 5 + 6


# --- missions


@card("BS-159")
def antarctic_rescue_lets_the_villain_block_a_team_character():
    table = carter().start("BS-159")
    assert table.player == 1
    table.do("choose their BS-102")
    assert "assign BS-102" not in table.legal and "assign BS-100" in table.legal


def succeed(table, *characters):
    """The hero assigns characters, the villain passes, both pass."""
    for name in characters:
        table.do(f"assign {name}", "pass")
    return table.do("pass") if table.prompt == "main" else table


def succeeded(table, *characters):
    table = succeed(table, *characters)
    if table.prompt == "main":
        table.do("pass")
    assert table.s.succeeded == 1
    return table


@card("BS-168")
def cure_the_vorlix_searches_for_a_character():
    table = carter()
    table.start("BS-168")
    table = succeeded(table, "BS-102", "BS-100").do("yes")
    assert "done" in table.legal and "choose BS-067" in table.legal
    assert "choose BS-130" not in table.legal
    table.do("choose BS-067")
    assert table.hand(0) == ["BS-067"]


@card("BS-175")
def evacuate_village_raises_combat_of_assigned_team_characters_with_glyphs():
    table = carter()
    table.glyph("BS-202", "BS-095")
    table.start("BS-175").do("assign BS-095", "pass", "assign BS-100", "pass")
    assert table.ratings("BS-095")[2] == 4 and table.ratings("BS-100")[2] == 2


@card("BS-178")
def fall_of_earth_forbids_support_characters():
    table = carter()
    table.give(0, "BS-072", "BS-130")
    table.start("BS-178", power=5)
    assert "play BS-072" not in table.legal and "play BS-130" in table.legal


@card("BS-180")
def investigate_disappearance_destroys_a_support_character():
    table = carter()
    table.put_into_play(0, "BS-067", "BS-072")
    table.start("BS-180")
    assert (table.prompt, table.player) == ("target", 0)
    table.do("choose BS-072")
    assert "play" not in table.zones("BS-072", 0)


@card("BS-182")
def locate_renegades_makes_the_next_mission_harder_when_it_fails():
    table = carter().start("BS-182", "BS-183", "BS-204", power=3).do("pass", "pass", "yes")
    assert table.difficulty == 6
    assert table.do("pass", "pass", "yes").difficulty == 4


@card("BS-183")
def loop_of_kon_garat_is_easier_with_carter():
    table = carter().start("BS-183")
    assert table.difficulty == 5
    assert table.do("assign BS-102").difficulty == 4


@card("BS-187")
def prison_break_stops_and_readies_all_support_characters():
    table = carter()
    table.put_into_play(0, "BS-067", "BS-072")
    table.start("BS-187")
    assert table.condition("BS-067") == table.condition("BS-072") == "stopped"
    succeeded(table, "BS-095")
    assert table.condition("BS-067") == table.condition("BS-072") == "ready"


@card("BS-192")
def research_advanced_races_looks_at_the_next_mission():
    table = carter().start("BS-192", "BS-204")
    succeeded(table, "BS-102", "BS-100").do("yes", "choose BS-204")
    assert table.tables.lists[0][int(table.s.missions[0][0])].card_id == "BS-204"


@card("BS-193")
def retrieve_artifact_makes_complications_dearer():
    table = carter()
    table.give(1, "BS-250")
    table.start("BS-193").do("pass", "complicate with BS-250")
    assert table.power[1] == 1


@card("BS-202")
def training_exercises_pay_the_villain_for_inexperienced_characters():
    table = carter()
    table.glyph("BS-159", "BS-102")
    table.start("BS-202", power=3).do("assign BS-102", "pass")
    assert table.power[1] == 3
    assert table.do("assign BS-095").power[1] == 4


@card("BS-204")
def what_fate_omaroca_is_easier_with_gemini():
    table = carter()
    table.glyph("BS-178", "BS-102")
    table.start("BS-204")
    assert table.difficulty == 4
    assert table.do("assign BS-102").difficulty == 3


@card("BS-163")
def brief_candle_stops_a_character():
    table = tealc().start("BS-163")
    assert (table.prompt, table.player) == ("target", 0)
    table.do("choose BS-105")
    assert table.condition("BS-105") == "stopped"


@card("BS-167")
def cultural_exchange_may_ready_a_support_character():
    table = tealc()
    table.put_into_play(0, "BS-029")
    table.s.condition[table.card("BS-029", 0, "play")] = 2
    table.start("BS-167").do("yes")
    assert table.s.condition[table.card("BS-029", 0, "play")] == 0


@card("BS-172")
def disclosure_grows_with_failed_missions():
    table = tealc().start("BS-195", "BS-172", power=3)
    assert table.do("pass", "pass", "yes").difficulty == 4


@card("BS-173")
def escape_the_keeper_grows_with_the_glyphs_of_assigned_characters():
    table = tealc()
    table.glyph("BS-163", "BS-105")
    table.glyph("BS-172", "BS-105")
    table.start("BS-173")
    assert table.difficulty == 3
    assert table.do("assign BS-105").difficulty == 5


@card("BS-176")
def explore_genetics_lab_lets_the_villain_refill():
    table = tealc()
    table.give(1, "BS-250", "BS-260")
    table.start("BS-176").do("pass", "pass")
    assert (table.prompt, table.player) == ("may", 1)
    table.do("yes", "choose BS-260")
    assert len(table.hand(1)) == 8 and "discard" in table.zones("BS-260", 1)


@card("BS-177")
def expose_blackmail_readies_a_support_character():
    table = tealc()
    table.put_into_play(0, "BS-029")
    table.s.condition[table.card("BS-029", 0, "play")] = 2
    succeeded(table.start("BS-177"), "BS-091", "BS-087")
    assert table.s.condition[table.card("BS-029", 0, "play")] == 0


@card("BS-181")
def investigate_plague_costs_two_power():
    assert tealc().start("BS-181").power == [1, 3]


@card("BS-190")
def repel_cronus_readies_tealc_for_one_power():
    table = tealc()
    table.s.condition[table.card("BS-105", 0)] = 2
    table.start("BS-190")
    assert table.prompt == "may"
    table.do("yes")
    assert table.condition("BS-105") == "ready" and table.power[0] == 2


@card("BS-195")
def search_and_rescue_readies_a_character():
    table = tealc().start("BS-195")
    succeeded(table, "BS-105", "BS-087").do("choose BS-105")
    assert "choose BS-105" in table.legal  # it was assigned, so it can receive the glyph
    assert table.condition("BS-105") == "ready" and table.condition("BS-087") == "stopped"


@card("BS-198")
def stall_enemy_taxes_adversaries_with_the_assigned_characters():
    table = tealc()
    table.put_into_play(1, "BS-004")
    table.start("BS-198", power=2).do("assign BS-105", "assign BS-004", "no", "no")
    assert table.power[1] == 1
    table = tealc()
    table.put_into_play(1, "BS-004")
    table.start("BS-198", power=0)
    assert "assign BS-004" not in table.do("assign BS-105").legal


@card("BS-203")
def uncover_the_stargate_taxes_support_characters():
    table = tealc()
    table.put_into_play(0, "BS-045", "BS-072")
    table.start("BS-203", power=3)
    assert table.do("assign BS-045", "pass").power[0] == 1
    assert "assign BS-105" in table.legal


@card("BS-205")
def wormhole_x_treme_makes_obstacles_dearer():
    table = tealc()
    table.give(1, "BS-286")
    table.start("BS-205", power=3).do("pass")
    assert "play BS-286" not in table.legal


# --- further cards, one at least for each thing that cards can do and those above do not


def with_cards(hero=(), villain=()):
    """Carter's deck against Teal'c's, each with further cards."""
    return Table(deck_with(CARTER, *hero), deck_with(TEALC, *villain))


@card("BS-002")
def anubis_incapacitates_and_the_character_recovers_later():
    """§15 A5."""
    table = with_cards(villain=["BS-002"])
    table.put_into_play(1, "BS-002")
    table.start("BS-193").do("pass", "assign BS-002", "pass", "pass", "choose their BS-102")
    assert table.condition("BS-102") == "incap"
    table.do("let die", "no")
    while table.s.turn_count == 0:
        table.do(table.legal[0])
    assert table.condition("BS-102", 0) == "incap"  # all through the opponent's turn
    while table.s.turn_count == 1:
        table.do("pass" if "pass" in table.legal else table.legal[-1])
    assert table.condition("BS-102", 0) == "stopped"
    while table.s.turn_count == 2:
        table.do("pass" if "pass" in table.legal else table.legal[-1])
    assert table.condition("BS-102", 0) == "ready"


@card("BS-127")
def recuperate_stops_an_incapacitated_character():
    table = with_cards(hero=["BS-127"])
    table.give(0, "BS-127")
    table.start("BS-183")
    table.s.condition[table.card("BS-086", 0)] = 3
    table.s.condition[table.card("BS-102", 0)] = 2
    table.look_again()
    table.do("play BS-127")
    assert table.condition("BS-086") == "stopped"


@card("BS-115")
def heroism_costs_a_character_and_readies_as_many_as_its_glyph_kinds():
    table = with_cards(hero=["BS-115"])
    table.give(0, "BS-115")
    table.glyph("BS-202", "BS-102")
    table.glyph("BS-204", "BS-102")
    table.glyph("BS-178", "BS-102")
    for name in ("BS-095", "BS-086"):
        table.s.condition[table.card(name, 0)] = 2
    table.start("BS-183").do("play BS-115", "choose BS-102", "yes", "choose BS-095")
    assert table.condition("BS-102") == "incap"
    table.do("choose BS-086")  # Triangulum and Gemini: two of them
    assert table.condition("BS-095") == table.condition("BS-086") == "ready"
    assert table.prompt == "main"


@card("BS-206")
def advanced_technology_blocks_and_withdraws_for_two():
    table = with_cards(villain=["BS-206"])
    table.put_into_play(0, "BS-072")
    table.give(1, "BS-206")
    table.start("BS-183").do("pass", "play BS-206")
    assert "assign BS-072" not in table.legal
    table.do("pass", "use BS-206")
    assert table.power[1] == 3 and table.zone("BS-206") == "discard"
    assert "assign BS-072" in table.legal


@card("SL-213")
def backstabbed_may_be_scored_along():
    """§15 A9."""
    table = with_cards(villain=["SL-213"])
    table.put_into_play(1, "BS-004")
    table.give(1, "SL-213")
    table.start("BS-175").do("pass", "play SL-213", "pass", "assign BS-004", "no", "no")
    table.do("pass", "pass", "score")
    assert table.prompt == "dominion" and table.legal == ["no", "choose SL-213"]
    table.do("choose SL-213")
    assert table.zones("BS-004", 1).count("vscore") == 1 and table.zone("SL-213") == "vscore"


@card("BS-106")
def tealc_of_the_base_set_costs_power_when_he_earns_a_glyph():
    table = with_cards(hero=["BS-106"])
    table.glyph("BS-178", "BS-106")
    table.start("BS-183", power=4).do("assign BS-106", "pass")
    make_easy(table)
    table.do("pass")
    assert table.s.succeeded == 1
    assert table.power == [4, 2]


def make_easy(table):
    """The current mission has difficulty 0."""
    add_modifier(table.s, DIFF, 2, 0, 0, int(table.s.current), 0)


@card("BS-107")
def thor_readies_others_with_the_new_symbol():
    table = with_cards(hero=["BS-107"])
    table.glyph("BS-187", "BS-095")  # Scorpius
    table.s.condition[table.card("BS-095", 0)] = 2
    table.s.condition[table.card("BS-100", 0)] = 2
    table.start("BS-183", power=4).do("assign BS-107", "pass")  # Scorpius
    make_easy(table)
    table.do("pass", "yes")
    assert table.power[0] == 1
    assert table.s.host[table.card("BS-183")] == table.card("BS-107")
    assert (table.condition("BS-095"), table.condition("BS-100")) == ("ready", "stopped")


@card("SL-104")
def carter_of_system_lords_returns_an_obstacle():
    table = with_cards(hero=["SL-104"])
    table.glyph("BS-178", "SL-104")
    table.give(1, "BS-219")
    table.start("BS-183", power=5).do("pass", "play BS-219", "use SL-104")
    assert table.hand(1) == ["BS-219"] and table.power[0] == 3
    assert table.difficulty == 5


@card("BS-090")
def daniel_gives_power_for_his_kinds_of_glyphs():
    table = with_cards(hero=["BS-090"])
    for mission in ("BS-202", "BS-204", "BS-178"):  # two Triangulum, one Gemini
        table.glyph(mission, "BS-090")
    assert table.start("BS-183").power == [8, 6]


@card("BS-044")
def hammond_may_discard_before_the_refill():
    table = with_cards(hero=["BS-044"])
    table.put_into_play(0, "BS-044")
    table.glyph("BS-202", "BS-102")
    table.give(0, "BS-072", "BS-067")
    table.start("BS-183").do("pass", "pass", "no", "yes", "choose BS-067")
    assert "discard" in table.zones("BS-067") and len(table.hand(0)) == 8


@card("BS-028")
def aris_boch_is_expensive_to_assign():
    table = with_cards(hero=["BS-028"])
    table.put_into_play(0, "BS-028")
    table.start("BS-175", power=3)
    assert "assign BS-028" not in table.legal  # no card to discard
    table = with_cards(hero=["BS-028"])
    table.put_into_play(0, "BS-028")
    table.give(0, "BS-072")
    table.start("BS-175", power=3).do("assign BS-028")
    assert table.power[0] == 1 and table.hand(0) == []
    assert table.condition("BS-028") == "assigned"


@card("SL-113")
def clever_disguise_needs_an_ingenuity_mission_and_unblocks():
    table = with_cards(hero=["SL-113"])
    table.give(0, "SL-113")
    assert "play SL-113" not in table.start("BS-183").legal
    table = with_cards(hero=["SL-113"])
    table.give(0, "SL-113")
    table.start("BS-159").do("choose their BS-102")
    assert "assign BS-102" not in table.legal
    table.do("play SL-113", "choose BS-102", "pass")
    assert "assign BS-102" in table.legal
    assert table.ratings("BS-102", 0) == [2, 4, 3, 2]


@card("SL-057")
def luthor_unblocks_only_the_blocked():
    table = with_cards(hero=["SL-057"])
    table.give(0, "SL-057")
    table.start("BS-159", power=5).do("choose their BS-102", "play SL-057", "pass")
    assert "assign BS-102" in table.legal


@card("RO-078")
def simon_coombs_promotes_and_raises_the_opponents_goal():
    """§15 A7: at most to value 6."""
    table = with_cards(hero=["RO-078"])
    before = int(table.s.victory_total[1])
    table.start("BS-183").do("assign RO-078", "pass")
    make_easy(table)
    table.do("pass", "choose RO-078")
    assert int(table.s.victory_total[1]) == before + 1


@card("BS-129")
def roundup_forbids_to_revive():
    table = with_cards(hero=["BS-129"])
    table.give(0, "BS-129")
    table.put_into_play(1, "BS-026")
    table.start("BS-193").do("play BS-129", "assign BS-026", "pass", "pass")
    assert table.legal == ["score", "let die"]


@card("SL-196")
def recover_zpm_blocks_all_support_characters():
    table = with_cards(hero=["SL-196"])
    table.put_into_play(0, "BS-072", "BS-067")
    table.start("SL-196")
    assert not {"assign BS-072", "assign BS-067"} & set(table.legal)
    assert "assign BS-102" in table.legal


@card("BS-217")
def cannon_tower_blocks_the_weak():
    table = with_cards(villain=["BS-217"])
    table.give(1, "BS-217")
    table.start("BS-175").do("pass", "play BS-217")
    assert [name for name in table.legal if name.startswith("assign")] == [
        "assign BS-095",
        "assign BS-100",
        "assign BS-102",
    ]


@card("BS-065")
def merrin_is_destroyed_at_the_end_of_the_mission():
    table = with_cards(hero=["BS-065"])
    table.put_into_play(0, "BS-065")
    table.start("BS-183").do("assign BS-065", "pass")
    assert table.zone("BS-065") == "play"
    table.do("pass")
    assert table.zone("BS-065") == "discard" and table.prompt == "continue"


@card("BS-066")
def ballard_burns_himself_for_two_culture():
    table = with_cards(hero=["BS-066"])
    table.put_into_play(0, "BS-066")
    table.give(0, "BS-072", "BS-067")
    table.start("BS-193").do("use BS-066", "choose BS-067")
    assert table.ratings("BS-066")[0] == 3
    assert "use BS-066" not in table.do("pass").legal  # once each turn
    table.do("pass")
    assert table.zone("BS-066") == "discard"


@card("BS-142")
def the_dialing_computer_takes_failed_missions_back_in_the_heros_order():
    table = with_cards(hero=["BS-142"])
    table.put_into_play(0, "BS-142")
    table.start("BS-183", "BS-204", "BS-193", power=3)
    table.do("pass", "pass", "yes", "pass", "pass", "yes", "pass", "pass", "yes")
    table.do("choose BS-183", "choose BS-204", "done", "choose BS-204")
    pile = [table.tables.lists[0][int(k)].card_id for k in table.s.missions[0]]
    assert pile[10:12] == ["BS-204", "BS-183"] and pile[0] == "BS-193"


@card("BS-157")
def zat_gun_weakens_silences_or_destroys():
    for option in (1, 2, 3):
        table = with_cards(hero=["BS-157"])
        table.put_into_play(0, "BS-157", "BS-072")
        table.give(1, "BS-219")  # Science, Combat, Ingenuity 2; failure: destroy a support
        table.start("BS-175", power=5).do("pass", "play BS-219", "use BS-157", f"option {option}")
        assert table.power[0] == 5 - option
        assert table.difficulty == {1: 6, 2: 7, 3: 5}[option]
        table.do("pass", "pass")
        assert table.zones("BS-072", 0).count("play") == (0 if option == 1 else 1)


@card("BS-165")
def contact_the_asgard_forbids_to_revive():
    table = with_cards(hero=["BS-165"])
    table.put_into_play(1, "BS-026")
    table.start("BS-165").do("pass", "assign BS-026")
    make_easy(table)
    make_harmless(table, "BS-026")
    table.do("pass", "pass")
    assert table.s.succeeded == 1 and "discard" in table.zones("BS-026", 1)  # let die by itself


def make_harmless(table, name):
    add_modifier(table.s, DIFF, 1, 0, 9, table.card(name, 1, "play"), 0)


@card("BS-201")
def time_loop_ends_the_missions_of_the_turn():
    table = with_cards(hero=["BS-201"]).start("BS-201")
    hero = int(table.s.hero)
    table.do("pass", "pass")
    assert table.prompt != "continue" and int(table.s.hero) != hero


@card("SL-173")
def entrap_goauld_costs_a_random_card_for_each_villain_card():
    table = with_cards(hero=["SL-173"])
    table.give(0, "BS-072", "BS-067", "BS-130")
    table.give(1, "BS-219", "BS-250")
    table.start("SL-173", power=5).do("pass", "play BS-219")
    assert len(table.hand(0)) == 2
    table.do("pass", "complicate with BS-250")
    assert len(table.hand(0)) == 1


@card("SL-192")
def prevent_annihilation_becomes_a_culture_mission_for_four_power():
    table = with_cards(hero=["SL-192"])
    table.glyph("BS-202", "BS-102")
    table.start("SL-192").do("yes", "assign BS-100", "pass")
    assert table.power[0] == 0 and table.hero_total == 2
    table = with_cards(hero=["SL-192"])
    table.glyph("BS-202", "BS-102")
    table.start("SL-192").do("no", "assign BS-100", "pass")
    assert table.hero_total == 0


@card("SL-183")
def hunt_goauld_takes_a_scored_card():
    table = with_cards(hero=["SL-183"])
    number = table.card("BS-026", 1, "deck")
    remove_from_deck(table.s, number)
    put(table.s, number, VSCORE)
    table.start("SL-183").do("assign BS-102", "pass")
    make_easy(table)
    table.do("pass")
    assert "discard" in table.zones("BS-026", 1) and "vscore" not in table.zones("BS-026", 1)


@card("SL-160")
def activate_trap_blocks_adversaries_that_come_later_too():
    table = with_cards(hero=["SL-160"])
    table.put_into_play(1, "BS-026")
    table.give(1, "BS-004")
    table.start("SL-160", "BS-193", power=4).do("assign BS-102", "pass")
    make_easy(table)
    table.do("pass", "yes", "pass")
    assert "assign BS-026" not in table.legal
    table.do("play BS-004", "pass")
    assert "assign BS-004" not in table.legal


@card("SL-169")
def defend_the_byrsa_doubles_a_boost():
    table = with_cards(hero=["SL-169"])
    table.put_into_play(0, "BS-067")
    table.give(0, "BS-067")
    table.start("SL-169").do("assign BS-102", "pass")
    number = table.card("BS-067", 0, "play")
    table.s.condition[number] = 1
    table.look_again()
    table.do("boost with BS-067")
    assert current_rating(table.s, number, 0) == 2 + 2


@card("SL-186")
def invasion_reconnaissance_makes_obstacles_dearer_for_the_turn():
    table = with_cards(hero=["SL-186"])
    table.give(1, "BS-219", "BS-286")
    table.start("SL-186", "BS-183", power=3).do("assign BS-102", "pass")
    make_easy(table)
    table.do("pass", "yes", "pass")
    assert "play BS-219" not in table.legal


@card("SL-201")
def restore_symbiotic_balance_makes_continuing_dearer():
    table = with_cards(hero=["SL-201"]).start("SL-201", "BS-183", power=3).do("pass", "pass")
    table.do("yes")
    assert table.power == [1, 4]  # the villain gains only what is paid for the failure


@card("SL-206")
def sway_villagers_grows_with_scored_adversaries():
    table = with_cards(hero=["SL-206"])
    number = table.card("BS-026", 1, "deck")
    remove_from_deck(table.s, number)
    put(table.s, number, VSCORE)
    assert table.start("SL-206").difficulty == 3 + 2


@card("SL-027")
def yu_of_system_lords_is_cheaper_to_revive():
    table = with_cards(villain=["SL-027"])
    table.put_into_play(1, "SL-027")
    table.s.deck_size[1] = 3
    table.start("BS-193").do("pass", "assign SL-027", "pass", "use SL-027", "pass", "pass")
    assert "revive" in table.legal  # 5 - 2
    table.do("revive")
    assert table.condition("SL-027") == "stopped" and table.s.deck_size[1] == 0


@card("SL-187")
def investigate_inscriptions_helps_now_and_hurts_at_the_debrief():
    table = with_cards(hero=["SL-187"]).start("SL-187").do("choose BS-102")
    assert table.ratings("BS-102", 0) == [3, 5, 4, 3]
    table.do("pass", "pass", "no")
    assert table.condition("BS-102", 0) == "incap"


@card("RO-118")
def coordinated_assault_looks_at_the_villains_deck():
    table = with_cards(hero=["RO-118"]).start("RO-118").do("assign BS-102", "pass")
    make_easy(table)
    table.do("pass")
    top = [int(k) for k in table.s.deck[1][: table.s.deck_size[1]]]
    assert table.prompt == "scry" and int((table.s.zones[LOOKED_AT] != 0).any())
    first = table.legal[1]
    table.do(first, "done")
    while table.prompt == "scry":
        table.do(table.legal[0])
    deck = [table.tables.lists[1][int(k)].card_id for k in table.s.deck[1][: table.s.deck_size[1]]]
    assert first.endswith(deck[0]) and len(deck) == len(top) + 4


@card("RO-127")
def escape_time_dilation_comes_back_if_the_villain_wants():
    table = with_cards(hero=["RO-127"]).start("RO-127").do("pass", "pass")
    assert (table.prompt, table.player) == ("may", 1)
    table.do("yes", "yes")
    assert table.tables.kinds[table.s.kind[table.s.current]].card_id == "RO-127"
    assert table.s.fail_turn == 1


@card("SL-172")
def elude_patrols_lets_the_villain_begin():
    table = with_cards(hero=["SL-172"]).start("SL-172")
    assert (table.prompt, table.player) == ("main", 1)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(scenario):
    scenario()


def test_every_card_of_the_match_up_has_a_scenario():
    cards = {name for deck in (CARTER, TEALC) for name in deck.team + deck.missions + deck.deck}
    assert cards <= {parameter.values[0].card_id for parameter in SCENARIOS}
