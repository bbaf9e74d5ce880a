"""Texts that move, take and count glyphs (EFFECTS.md: glyphs, missions, turns)."""

from stargate_positions import CARTER, TEALC, Table, deck_with

from stargate_env.state import STALE
from stargate_env.table import count_experience, point_total
from stargate_env.victory import check_victory


def failing(obstacle, *missions, power=9, hero_deck=CARTER, glyphs=()):
    """The first mission fails with an obstacle of the villain at it."""
    table = Table(hero_deck, deck_with(TEALC, obstacle))
    for mission, character in glyphs:
        table.glyph(mission, character)
    table.give(1, obstacle)
    table.start(*missions, power=power).do("pass", f"play {obstacle}", "pass", "pass")
    return table


def pile(table, seat=0):
    """The mission pile from the bottom."""
    size = int(table.s.missions_size[seat])
    return [table.tables.lists[seat][int(k)].card_id for k in table.s.missions[seat][:size]]


# --- LOSE_GLYPH


def test_a_bomb_sends_a_glyph_that_the_villain_chooses_under_the_pile():
    """BS-237: LOSE_GLYPH(1,from=char); two characters have one, the owner of the text chooses."""
    glyphs = [("BS-202", "BS-095"), ("BS-182", "BS-102")]
    table = failing("BS-237", "BS-204", glyphs=glyphs)
    assert (table.prompt, table.player) == ("target", 1)
    assert sorted(table.legal) == ["choose their BS-182", "choose their BS-202"]
    table.do("choose their BS-202")
    assert (table.glyphs_of("BS-095"), table.glyphs_of("BS-102")) == (0, 1)
    assert pile(table)[0] == "BS-202"


def test_a_bomb_finds_nothing_without_a_glyph():
    table = failing("BS-237", "BS-204")
    assert (table.prompt, table.player) == ("continue", 0)
    assert "discard" in table.zones("BS-237", 1)


def test_the_opponent_chooses_the_glyph_that_a_review_takes():
    """BS-271: LOSE_GLYPH(1,from=char,by=H)."""
    glyphs = [("BS-202", "BS-095"), ("BS-182", "BS-102")]
    table = failing("BS-271", "BS-204", glyphs=glyphs)
    assert (table.prompt, table.player) == ("target", 0)
    assert sorted(table.legal) == ["choose BS-182", "choose BS-202"]


def test_only_glyphs_of_assigned_characters_count_for_sokar():
    """BS-023: LOSE_GLYPH(1,from=char[assigned],by=H): the only one is taken without asking."""
    table = Table(CARTER, deck_with(TEALC, "BS-023"))
    table.put_into_play(1, "BS-023")
    table.glyph("BS-202", "BS-095")
    table.glyph("BS-182", "BS-102")
    table.start("BS-183", power=9).do("assign BS-095", "assign BS-023", "pass", "pass")
    assert (table.glyphs_of("BS-095"), table.glyphs_of("BS-102")) == (0, 1)
    assert pile(table)[0] == "BS-202" and table.prompt == "fate"


def test_a_scored_moloc_takes_all_glyphs_of_one_worth_in_an_order_of_the_hero():
    """RO-012: the chosen glyph and those of its holder that are worth as much; H orders."""
    table = Table(CARTER, deck_with(TEALC, "RO-012"))
    table.put_into_play(1, "RO-012")
    for mission in ("BS-202", "BS-180", "BS-187"):  # experience 2, 2, 1
        table.glyph(mission, "BS-095")
    table.start("BS-183", power=9).do("pass", "assign RO-012", "pass", "pass", "score")
    table.do("choose their BS-180")
    assert (table.prompt, table.player) == ("scry", 0)
    assert sorted(table.legal) == ["choose BS-180", "choose BS-202"]
    table.do("choose BS-180")
    assert pile(table)[:2] == ["BS-202", "BS-180"]  # the last one lies lowest
    assert table.glyphs_of("BS-095") == 1


# --- PICK_GLYPH, SWAP_GLYPHS, SWAP_GLYPH_TOP, ADD_GLYPH


def bomber(power):
    table = Table(CARTER, deck_with(TEALC, "RO-220"))
    table.put_into_play(1, "RO-220")
    table.glyph("BS-182", "BS-095")  # experience 3
    table.glyph("BS-187", "BS-095")  # experience 1
    return table.start("BS-183", power=power).do("assign BS-095", "assign RO-220")


def test_a_bomber_is_only_offered_glyphs_that_it_can_pay_for():
    """RO-220: MAY PICK_GLYPH(1,from=char[assigned])+PAY(xp(that))."""
    table = bomber(power=2).do("yes")
    assert table.power == [2, 1]  # BS-187 for 1, without a choice
    assert (table.prompt, table.player) == ("may", 0)
    table.do("yes")
    assert table.power == [1, 1] and table.glyphs_of("BS-095") == 2


def test_the_glyph_is_lost_if_the_hero_does_not_pay_as_much():
    table = bomber(power=3).do("yes")
    assert sorted(table.legal) == ["choose their BS-182", "choose their BS-187"]
    table.do("choose their BS-182")
    assert table.power == [3, 0]
    table.do("no")
    assert table.glyphs_of("BS-095") == 1 and pile(table)[0] == "BS-182"


def test_a_bomber_without_power_is_not_asked():
    assert bomber(power=0).prompt == "main"


def bedfellows(*glyphs):
    table = Table(deck_with(CARTER, "SL-137"), TEALC)
    table.give(0, "SL-137")
    for mission, character in glyphs:
        table.glyph(mission, character)
    return table.start("BS-204", power=5)


def test_two_glyphs_of_different_characters_change_places():
    """SL-137: PICK_GLYPH(2,from=char,on_different_chars), then SWAP_GLYPHS(that)."""
    table = bedfellows(("BS-202", "BS-095"), ("BS-182", "BS-095"), ("BS-187", "BS-102"))
    table.do("play SL-137")
    assert sorted(table.legal) == ["choose BS-182", "choose BS-187", "choose BS-202"]
    table.do("choose BS-202")  # that of BS-102 is the only one left
    hosts = {name: int(table.s.host[table.card(name, 0)]) for name in ("BS-202", "BS-187")}
    assert hosts["BS-202"] == table.card("BS-102", 0)
    assert hosts["BS-187"] == table.card("BS-095", 0)


def test_glyphs_of_one_character_cannot_be_swapped():
    assert "play SL-137" not in bedfellows(("BS-202", "BS-095"), ("BS-182", "BS-095")).legal


def test_a_glyph_goes_on_top_and_the_top_becomes_a_glyph():
    """BS-128: SWAP_GLYPH_TOP of the character that was stopped."""
    table = Table(deck_with(CARTER, "BS-128"), TEALC)
    table.give(0, "BS-128")
    table.glyph("BS-202", "BS-095")
    table.start("BS-204", "BS-182", power=5).do("play BS-128", "choose BS-095")
    assert table.s.host[table.card("BS-182", 0)] == table.card("BS-095", 0)
    assert pile(table)[-1] == "BS-202" and table.condition("BS-095") == "stopped"


def test_nothing_is_exchanged_without_a_glyph():
    table = Table(deck_with(CARTER, "BS-128"), TEALC)
    table.give(0, "BS-128")
    table.start("BS-204", "BS-182", power=5).do("play BS-128", "choose BS-095")
    assert pile(table)[-1] == "BS-182" and table.glyphs_of("BS-095") == 0


def test_a_trial_replaces_the_glyph_of_its_holder():
    """BS-220: LOSE_GLYPH(1,from=char) & ADD_GLYPH(holder)."""
    table = failing("BS-220", "BS-204", "BS-182", glyphs=[("BS-202", "BS-095")])
    assert pile(table)[0] == "BS-202"
    assert table.s.host[table.card("BS-182", 0)] == table.card("BS-095", 0)


def vala(*glyphs):
    table = Table(deck_with(CARTER, "BS-292"), TEALC)
    for mission in glyphs:
        table.glyph(mission, "BS-292")
    return table.start("BS-204", "BS-183", power=5)


def test_vala_trades_a_libra_or_pisces_glyph():
    """BS-292: the cost is LOSE_GLYPH(1,from=self,kind=L|P)."""
    table = vala("BS-182", "BS-159").do("use BS-292")  # BS-182 is Pisces, BS-159 Libra
    table.do("choose BS-159")
    assert pile(table)[0] == "BS-159" and table.condition("BS-292") == "stopped"
    assert table.s.host[table.card("BS-183", 0)] == table.card("BS-292", 0)


def test_vala_cannot_trade_another_glyph():
    assert "use BS-292" not in vala("BS-202").legal  # Triangulum


# --- MOVE_GLYPH: both, PICK_KIND


def test_both_characters_of_a_moved_glyph_are_stopped():
    """SL-246: MAY MOVE_GLYPH(1,from=team,to=team) -> STOP(both)."""
    table = failing("SL-246", "BS-204", glyphs=[("BS-202", "BS-095")])
    assert (table.prompt, table.player) == ("may", 1)
    table.do("yes", "choose their BS-102")
    assert table.glyphs_of("BS-102") == 1
    assert table.condition("BS-095") == table.condition("BS-102") == "stopped"
    assert table.condition("BS-100") == "ready"


def test_characters_with_the_chosen_symbol_are_stopped():
    """RO-171: PICK_KIND() & STOP(char[has_glyph=chosen],all)."""
    table = Table(CARTER, deck_with(TEALC, "RO-171"))
    table.give(1, "RO-171")
    table.glyph("BS-202", "BS-095")  # Triangulum
    table.glyph("BS-182", "BS-102")  # Pisces
    table.start("BS-204", power=9).do("pass", "play RO-171")
    assert table.legal == [f"option {k}" for k in range(1, 7)]
    table.do("option 4")  # Pisces
    assert (table.condition("BS-095"), table.condition("BS-102")) == ("ready", "stopped")


# --- XP, POINT_VALUE


def experience(table, seat=0):
    table.s.is_stale = STALE
    check_victory(table.r, table.s)
    return int(count_experience(table.r, table.s, seat))


def test_hammond_adds_one_for_each_symbol_in_both_turns():
    """BS-092: XP(self,+#glyph_kinds(self)), as long as he has his text."""
    table = Table(deck_with(CARTER, "BS-092"), TEALC)
    for mission in ("BS-159", "BS-168", "BS-202"):  # Libra, Libra, Triangulum: 1 + 3 + 2
        table.glyph(mission, "BS-092")
    table.start("BS-204")
    assert experience(table) == 6 + 2
    table.s.hero = 1
    assert experience(table) == 6 + 2
    table.s.condition[table.card("BS-092", 0)] = 3
    assert experience(table) == 6


def test_a_box_adds_one_while_a_support_character_has_a_glyph():
    """SL-152: STATIC IF(support[glyph>=1]): XP(owner,+1), counted in either turn."""
    table = Table(deck_with(CARTER, "SL-152"), TEALC)
    table.put_into_play(0, "SL-152", "BS-072")
    table.start("BS-204")
    assert experience(table) == 0
    table.glyph("BS-159", "BS-072")
    assert experience(table) == 1 + 1
    table.s.hero = 1
    assert experience(table) == 1 + 1


def test_russians_with_a_common_symbol_add_to_tolinev():
    """SL-108: XP(self,+#char[Russian,shares_glyph_with=self,other])."""
    table = Table(deck_with(CARTER, "SL-108", "BS-104"), TEALC)
    table.glyph("BS-159", "SL-108")
    table.glyph("BS-202", "BS-104")
    table.start("BS-204")
    assert experience(table) == 3
    table.glyph("BS-168", "BS-104")
    assert experience(table) == 3 + 3 + 1


def test_grogan_lowers_his_point_value_by_his_symbols():
    """SL-087: POINT_VALUE(self,-#glyph_kinds(self)); value 6, the others of the team 4, 3, 3."""
    table = Table(deck_with(CARTER, "SL-087"), TEALC)
    team = sum(c.point_value for c in table.tables.lists[0][:4])
    table.start("BS-204")
    assert experience(table) == 0 and point_total(table.r, table.s, 0) == team
    table.glyph("BS-159", "SL-087")
    table.glyph("BS-202", "SL-087")
    assert experience(table) == 3
    assert point_total(table.r, table.s, 0) == table.s.victory_total[1] == team - 2
    assert table.ratings("SL-087") == [3, 2, 3, 2]


def test_promotion_and_lowering_are_added_before_the_limit():
    table = Table(deck_with(CARTER, "SL-087"), TEALC)
    table.glyph("BS-159", "SL-087")
    table.start("BS-204")
    team = sum(c.point_value for c in table.tables.lists[0][:4])
    for tokens, total in ((0, team - 1), (1, team), (3, team)):
        table.s.tokens[table.card("SL-087", 0)] = tokens
        experience(table)
        assert point_total(table.r, table.s, 0) == total
