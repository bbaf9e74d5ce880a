"""Chosen numbers, costs, counts, traits, marks, blockades, the score pile (EFFECTS.md)."""

from dataclasses import replace

from stargate_positions import CARTER, TEALC, Table, deck_with

from stargate_env.derived import cost_to_play, refresh
from stargate_env.resolving import firepower_total
from stargate_env.state import BLOCKADED, DISCARD, REVIVE_PLUS, VSCORE
from stargate_env.table import (
    add_modifier,
    count_glyphs,
    leave_play,
    push_mission,
    put,
    remove_from_deck,
)
from stargate_env.words import DIFF

TWO_CARTERS = replace(CARTER, deck=(*CARTER.deck, "BS-102"))  # one of them to boost with


def pile(table, seat=0):
    """The mission pile from the bottom."""
    size = int(table.s.missions_size[seat])
    return [table.tables.lists[seat][int(k)].card_id for k in table.s.missions[seat][:size]]


def scored(table, *card_ids):
    """Villain cards of seat 1 in its score pile."""
    for card_id in card_ids:
        card = table.card(card_id, 1, "deck")
        remove_from_deck(table.s, card)
        put(table.s, card, VSCORE)


def cost(table, card_id, seat, zone="hand"):
    refresh(table.r, table.s)
    return int(cost_to_play(table.r, table.s, table.card(card_id, seat, zone)))


# --- chosen numbers


def orlin(power):
    table = Table(deck_with(CARTER, "BS-071"), TEALC)
    table.put_into_play(0, "BS-071")
    table.give(1, "BS-219", "BS-265")  # obstacles of cost 3 and 2
    table.start("BS-183", power=9).do("pass", "play BS-219", "pass", "play BS-265")
    table.s.power[0] = power
    table.look_again()
    return table


def test_orlin_destroys_an_obstacle_of_the_cost_that_is_paid():
    """BS-071: ACT[DESTROY(self)+PAY(n:any)] -> DESTROY(obstacle[cost=n],1)."""
    table = orlin(4).do("use BS-071")
    assert table.prompt == "number" and table.legal == [f"number {k}" for k in range(5)]
    table.do("number 2")
    assert table.power[0] == 2 and table.zone("BS-071") == "discard"
    assert "discard" in table.zones("BS-265", 1) and "discard" not in table.zones("BS-219", 1)


def test_paying_without_a_fitting_obstacle_is_allowed():
    table = orlin(4).do("use BS-071", "number 1")
    assert table.power[0] == 3 and table.zone("BS-071") == "discard"
    assert "discard" not in table.zones("BS-265", 1) + table.zones("BS-219", 1)


def test_without_power_only_0_can_be_paid():
    table = orlin(0).do("use BS-071")
    assert table.prompt == "main" and table.zone("BS-071") == "discard"


def test_numbers_beyond_the_last_action_are_named_in_two_steps():
    table = orlin(30).do("use BS-071")
    assert len(table.legal) == 24
    table.do("number 23")
    assert table.legal == [f"number {k}" for k in range(8)]
    assert table.do("number 5").power[0] == 2


def test_a_payment_in_a_may_can_be_declined():
    """RO-026: MAY PAY(n:any) -> STOP(self) & DESTROY(obstacle[cost=n],1)."""
    for answers, state, power in ((["no"], "ready", 4), (["yes", "number 3"], "stopped", 1)):
        table = Table(deck_with(CARTER, "RO-026"), TEALC)
        table.give(0, "RO-026")
        table.give(1, "BS-219")
        table.start("BS-183", power=9).do("pass", "play BS-219")
        table.s.power[0] = 6
        table.look_again()
        table.do("play RO-026", *answers)
        assert (table.condition("RO-026"), table.power[0]) == (state, power)
        assert ("discard" in table.zones("BS-219", 1)) == (state == "stopped")


def test_the_hero_names_as_many_victims_as_the_villain_has_paid_for():
    """RO-194: MAY PAY(n:any) -> DESTROY(support,n,by=H)."""
    table = Table(CARTER, deck_with(TEALC, "RO-194"))
    table.put_into_play(0, "BS-072", "BS-067", "BS-037")
    table.give(1, "RO-194")
    table.start("BS-183", power=5).do("pass", "play RO-194", "pass", "pass", "yes", "number 2")
    assert table.player == 0
    table.do("choose BS-072", "choose BS-037")
    assert [table.zone(name, 0) for name in ("BS-072", "BS-067")] == ["discard", "play"]
    assert table.zone("BS-037", 0) == "discard" and table.power[1] == 1


def freighter(*hand, power):
    table = Table(CARTER, deck_with(TEALC, "RO-229"))
    table.put_into_play(1, "RO-229")
    table.give(1, *hand)
    return table.start("BS-183", power=power).do("pass", "assign RO-229")


def test_a_freighter_loads_no_more_cards_than_the_hand_has():
    """RO-229: PAY(n:any) & TUCK(V.hand,n,facedown); with nothing beneath no second option."""
    table = freighter("BS-219", "BS-265", power=5).do("yes")
    assert table.prompt == "number" and table.legal == ["number 0", "number 1", "number 2"]
    table.do("number 1", "choose BS-219")
    assert table.power[1] == 4 and "tucked" in table.zones("BS-219", 1)


def test_a_freighter_sells_what_lies_beneath():
    table = freighter("BS-219", "BS-265", power=5).do("yes", "number 2", "pass", "pass")
    table.do("yes").do("pass")
    table.s.condition[table.card("RO-229", 1)] = 0
    table.s.power[1] = 1
    table.look_again()
    table.do("assign RO-229", "yes", "option 2")
    assert table.power[1] == 3
    assert "tucked" not in table.zones("BS-219", 1) + table.zones("BS-265", 1)


# --- costs to choose from


def subjects(*hand):
    table = Table(CARTER, deck_with(TEALC, "SL-248", "SL-206"))
    table.give(1, "SL-248", *hand)
    return table.start("BS-183", power=5).do("pass")


def test_loyal_subjects_cost_two_cards():
    """SL-248: CHOOSE{DISCARD(V.hand,2) / DISCARD(V.hand[obstacle,dominion],1)}."""
    table = subjects("BS-219", "BS-265", "BS-250").do("play SL-248")
    assert table.prompt == "target"  # no obstacle with dominion: the other option is out
    table.do("choose BS-219", "choose BS-250")
    assert table.hand(1) == ["BS-265"] and table.zone("SL-248") == "at_mission"
    assert table.power[1] == 6


def test_loyal_subjects_do_not_pay_for_themselves():
    assert "play SL-248" not in subjects("BS-219").legal


def test_a_russian_team_character_pays_for_the_search():
    """RO-106: STOP(self)+CHOOSE{STOP(team[Russian],1) / STOP(support[Russian],2)}."""
    table = Table(deck_with(CARTER, "RO-106", "BS-104"), TEALC)
    table.put_into_play(0, "RO-106")
    table.start("BS-204").do("use RO-106")
    assert table.condition("BS-104") == table.condition("RO-106") == "stopped"
    assert "choose BS-183" in table.legal
    table = Table(deck_with(CARTER, "RO-106"), TEALC)
    table.put_into_play(0, "RO-106")
    assert "use RO-106" not in table.start("BS-204").legal


def direct_hit(condition):
    table = Table(deck_with(CARTER, "RO-208"), deck_with(TEALC, "RO-166"))
    table.put_into_play(0, "RO-208")
    table.give(1, "RO-166")
    table.start("BS-183", power=5)
    table.s.condition[table.card("RO-208", 0)] = condition
    table.look_again()
    return table.do("pass", "play RO-166")


def test_a_ready_ship_is_stopped_and_a_stopped_one_destroyed():
    """RO-166: MAY CHOOSE{STOP(ship[hero],1) / DESTROY(ship[hero,stopped],1)}."""
    assert direct_hit(0).do("yes").condition("RO-208") == "stopped"
    assert direct_hit(2).do("yes").zone("RO-208") == "discard"
    assert direct_hit(2).do("no").zone("RO-208") == "play"


# --- a limit of costs


def test_the_costs_of_the_destroyed_ones_add_up_to_five_at_most():
    """SL-284: DESTROY(support,any,max_total_cost=5); costs 3, 3 and 2."""
    table = Table(deck_with(CARTER, "RO-026"), deck_with(TEALC, "SL-284"))
    table.put_into_play(0, "BS-072", "BS-067", "RO-026")
    table.give(1, "SL-284")
    table.start("BS-183", power=5).do("pass", "play SL-284", "pass", "pass")
    assert sorted(table.legal) == [f"choose their {n}" for n in ("BS-067", "BS-072", "RO-026")] + [
        "done"
    ]
    table.do("choose their BS-072")
    assert sorted(table.legal) == ["choose their RO-026", "done"]
    table.do("choose their RO-026")
    zones = [table.zone(name, 0) for name in ("BS-067", "BS-072", "RO-026")]
    assert zones == ["play", "discard", "discard"]


# --- counting


def test_a_swarm_counts_as_two_replicators():
    """SL-212: COUNTS_AS(self,Replicator,2); BS-245: DIFF(self,+#card[Replicator,other]@mission)."""
    table = Table(CARTER, deck_with(TEALC, "SL-212", "BS-245"))
    table.give(1, "SL-212", "BS-245")
    table.start("BS-175", power=9).do("pass", "play SL-212", "pass")
    assert table.ratings("SL-212") == [-1, -1, 1, -1]
    table = Table(CARTER, deck_with(TEALC, "SL-212", "BS-221"))
    table.give(1, "SL-212", "BS-221")
    table.put_into_play(0, "BS-072", "BS-067", "BS-037")
    table.start("BS-175", power=9).do("pass", "play SL-212", "pass", "play BS-221", "pass", "pass")
    assert table.s.frame_least[0] == 2  # BS-221: DESTROY(support,#card[Replicator,other]@mission)


def test_traits_are_counted_once():
    """BS-261: =#trait_kinds(char[assigned]); SL-031 counts its own traits, too."""
    table = Table(CARTER, deck_with(TEALC, "BS-261"))
    table.give(1, "BS-261")
    table.start("BS-183", power=9).do("assign BS-095", "play BS-261")  # SGC
    assert table.ratings("BS-261", 1) == [1, 1, 1, 1]
    table.do("assign BS-102", "pass")  # SGC again
    assert table.ratings("BS-261", 1) == [1, 1, 1, 1]
    table.do("assign BS-100")  # Tok'ra
    assert table.ratings("BS-261", 1) == [2, 2, 2, 2]


def test_the_most_glyphs_beneath_one_character():
    """RO-236: POWER(V,+max_glyph(char[assigned]))."""
    table = Table(CARTER, deck_with(TEALC, "RO-236"))
    table.put_into_play(1, "RO-236")
    for mission, character in (("BS-202", "BS-095"), ("BS-182", "BS-095"), ("BS-187", "BS-102")):
        table.glyph(mission, character)
    table.start("BS-204", power=1).do("assign BS-102", "pass", "assign BS-095", "assign RO-236")
    assert table.power[1] == 3


def test_tanner_pays_the_highest_rating_of_whom_he_stops():
    """SL-017: MAY PICK(support,1)+PAY(highest_skill(that)) -> STOP(that)."""
    for power, stopped in ((1, None), (2, "BS-062")):
        table = Table(CARTER, deck_with(TEALC, "SL-017"))
        table.put_into_play(1, "SL-017")
        table.put_into_play(0, "BS-062")  # Science 2, Ingenuity 1
        table.start("BS-202", power=power).do("pass", "assign SL-017")
        assert (table.prompt == "may") == (stopped is not None)
        if stopped:
            assert table.do("yes").power[1] == 0 and table.condition("BS-062") == "stopped"


def test_other_jaffa_played_this_turn_help_yatyir():
    """SL-075: STATIC IF(#played_turn[Jaffa,other]>=1): SKILLS(self,+1)."""
    table = Table(deck_with(CARTER, "SL-075", "BS-029"), deck_with(TEALC, "BS-272"))
    table.put_into_play(0, "SL-075")
    table.give(0, "BS-029")
    table.start("BS-175", power=9)
    assert table.ratings("SL-075") == [-1, -1, 2, 1]
    table.do("play BS-029")
    assert table.ratings("SL-075") == [-1, -1, 3, 2]
    table.s.played_turn[:] = 0
    table.look_again()
    table.give(1, "BS-272")
    table.look_again()
    assert table.do("play BS-272").ratings("SL-075") == [-1, -1, 3, 2]


# --- traits and skills of others


def test_tyler_counts_as_what_he_copies():
    """SL-073: GAIN_TRAITS(self,from=that,dur=mission), team included; assigning does not change."""
    table = Table(deck_with(CARTER, "SL-073"), deck_with(TEALC, "BS-260"))
    table.put_into_play(0, "SL-073")
    table.give(0, "BS-072")
    table.give(1, "BS-260")
    table.start("BS-183", power=9).do("use SL-073", "choose BS-095")
    assert table.power[0] == 8 and table.zone("BS-072", 0) == "discard"
    assert "assign SL-073" not in table.do("play BS-260").legal  # no Science
    table.do("pass", "pass")  # BS-260: STOP(team,1)
    assert "choose their SL-073" in table.legal
    table.do("choose their SL-073", "yes")  # continue: what he gained has ended
    assert int(table.s.has_gained_traits) == 0


def test_intimidation_adds_the_skills_of_the_discarded_card():
    """SL-122: printed ratings of a support card from the hand, skill by skill."""
    table = Table(deck_with(CARTER, "SL-122", "BS-099"), TEALC)
    table.give(0, "SL-122", "BS-062")  # Science 2, Ingenuity 1
    table.start("BS-183", power=9)
    assert "play SL-122" not in table.legal  # Makepeace (NID) is not assigned
    table.do("assign BS-099", "pass")
    before = table.ratings("BS-099")
    table.do("play SL-122")
    assert table.ratings("BS-099") == [before[0], before[1] + 2, before[2], before[3] + 1]
    assert table.zone("BS-062", 0) == "discard"


# --- boosts


def test_a_mimic_boosts_any_team_character_with_the_card_of_another():
    """SL-149: ALLOW_BOOST(team,all,with=char[same_title=team[!each]])."""
    table = Table(deck_with(TWO_CARTERS, "SL-149"), TEALC)
    table.give(0, "BS-102")
    table.start("BS-183", power=9).do("assign BS-095", "pass")
    assert "boost with BS-102" not in table.legal
    table.put_into_play(0, "SL-149")
    table.look_again()
    table.do("boost with BS-102")
    assert table.ratings("BS-095") == [1, 2, 4, 4] and "discard" in table.zones("BS-102", 0)


def test_of_several_the_boosted_one_is_named():
    table = Table(deck_with(TWO_CARTERS, "SL-149"), TEALC)
    table.give(0, "BS-102")
    table.put_into_play(0, "SL-149")
    table.start("BS-183", power=9).do("assign BS-095", "pass", "assign BS-102", "pass")
    table.do("boost with BS-102")
    assert (table.prompt, sorted(table.legal)) == ("boost", ["choose BS-095", "choose BS-102"])
    table.do("choose BS-102")
    assert table.ratings("BS-095") == [0, 1, 3, 3] and table.ratings("BS-102", 0) == [2, 4, 3, 2]
    assert table.player == 1


# --- filters and marks


def test_conrad_returns_only_after_a_failure():
    """SL-001: ON_REVIVE IF(mission[failed]): MAY RETURN(self,to=hand)."""
    for change, prompt in ((0, "may"), (9, "recipient")):
        table = Table(CARTER, deck_with(TEALC, "SL-001"))
        table.put_into_play(1, "SL-001")
        table.start("BS-183", power=9).do("assign BS-100", "assign SL-001")
        table.do("assign BS-086")
        add_modifier(table.s, DIFF, 1, 0, change, int(table.s.current), 0)
        table.do("pass", "pass", "revive")
        assert table.prompt == prompt


def test_a_mark_made_when_assigned_ends_with_the_mission():
    """SL-026: ON_ASSIGN: MAY BLOCK(support,1,..) -> MARK(that); ON_FAIL: DESTROY(marked)."""
    for answer, zone in (("yes", "discard"), ("no", "play")):
        table = Table(CARTER, deck_with(TEALC, "SL-026"))
        table.put_into_play(1, "SL-026")
        table.put_into_play(0, "BS-072")
        table.start("BS-183", "BS-192", power=9).do("pass", "assign SL-026", answer)
        assert table.s.mark_count == (1 if answer == "yes" else 0)
        table.do("pass", "pass", "revive")
        assert table.zone("BS-072", 0) == zone
        assert table.prompt == "continue" and table.s.mark_count == 0


def friends(power=9):
    table = Table(CARTER, deck_with(TEALC, "RO-170"))
    table.give(1, "RO-170")
    return table.start("BS-183", power=power)


def test_those_who_lack_a_trait_of_the_marked_one_are_blocked_even_when_it_has_gone():
    """RO-170: MARK(team[assigned],1); BLOCK(team[lacks_trait_of=marked],all)."""
    table = friends().do("assign BS-095", "play RO-170")  # SGC; BS-100 is Tok'ra
    assert "assign BS-100" not in table.legal and "assign BS-102" in table.legal
    leave_play(table.s, table.card("BS-095", 0), DISCARD)
    table.look_again()
    assert "assign BS-100" not in table.legal and "assign BS-102" in table.legal


def test_nobody_is_blocked_when_nobody_could_be_marked():
    table = friends().do("pass", "play RO-170")
    assert "assign BS-100" in table.legal and "assign BS-102" in table.legal


def test_characters_with_a_common_symbol_are_blocked_while_the_obstacle_stays():
    """SL-226: BLOCK(char,1) & BLOCK(char[shares_glyph_with=that],all)."""
    table = Table(CARTER, deck_with(TEALC, "SL-226"))
    table.give(1, "SL-226")
    for mission, character in (("BS-159", "BS-095"), ("BS-168", "BS-102"), ("BS-202", "BS-100")):
        table.glyph(mission, character)
    table.start("BS-204", power=9).do("pass", "play SL-226", "choose their BS-095")
    assert sorted(name for name in table.legal if name.startswith("assign")) == [
        "assign BS-086",
        "assign BS-100",
    ]
    leave_play(table.s, table.card("SL-226", 1), DISCARD)
    table.look_again()
    assert sum(name.startswith("assign") for name in table.legal) == 4


# --- blockades and ships


def blockader(card_id="RO-230", power=5):
    """A ship of the villain that has failed a mission."""
    table = Table(CARTER, deck_with(TEALC, card_id))
    table.put_into_play(1, card_id)
    table.start("BS-183", "BS-192", "BS-202", power=power)
    return table.do("pass", f"assign {card_id}", "pass", "pass")


def blockaded(table):
    return [
        card.card_id
        for place, card in enumerate(table.tables.lists[0])
        if table.s.zone[place] == BLOCKADED
    ]


def test_a_blockade_takes_the_top_mission_and_lets_the_older_one_go():
    """RO-230: ON_FAIL: MAY PAY(2) -> BLOCKADE(self)."""
    table = blockader().do("yes")
    assert blockaded(table) == ["BS-192"] and table.power[1] == 3
    table.do("yes").do("pass")  # BS-202
    table.s.condition[table.card("RO-230", 1)] = 0
    table.look_again()
    top = pile(table)[-1]
    table.do("assign RO-230", "pass", "pass", "yes")
    assert blockaded(table) == [top] and pile(table)[0] == "BS-192"


def test_a_blockade_is_optional_and_must_be_paid():
    assert blockaded(blockader().do("no")) == []
    assert blockader(power=1).prompt == "continue"


def test_a_blockaded_mission_returns_when_the_ship_leaves_and_is_no_glyph():
    table = blockader().do("yes")
    assert count_glyphs(table.s, 0) == 0
    leave_play(table.s, table.card("RO-230", 1), DISCARD)
    assert blockaded(table) == [] and pile(table)[0] == "BS-192"


def test_an_empty_pile_cannot_be_blockaded():
    table = Table(CARTER, deck_with(TEALC, "RO-230"))
    table.put_into_play(1, "RO-230")
    table.start("BS-183", power=5).do("pass", "assign RO-230", "pass")
    for card_id in pile(table):
        put(table.s, table.card(card_id, 0, "missions"), DISCARD)
    table.s.missions_size[0] = 0
    table.look_again()
    assert blockaded(table.do("pass", "yes")) == []


def test_blockades_are_counted_for_the_villain_only():
    """RO-224: POWER(V,+#blockaded) at a victory."""
    table = Table(CARTER, deck_with(TEALC, "RO-224"))
    table.put_into_play(1, "RO-224")
    table.start("BS-183", "BS-192", "BS-202", power=5)
    table.do("pass", "assign RO-224", "pass", "pass")
    assert table.power[1] == 5  # a victory, but nothing is blockaded yet
    table.do("yes", "yes").do("pass")
    table.s.condition[table.card("RO-224", 1)] = 0
    table.s.power[1] = 0
    table.look_again()
    assert table.do("assign RO-224", "pass", "pass").power[1] == 1


def test_a_headset_adds_to_the_total_of_the_hero_ships():
    """RO-102: FIREPOWER_TOTAL(H,+1) for a Tok'ra, +1 for a Jaffa assigned."""
    table = Table(deck_with(CARTER, "RO-102", "RO-208"), TEALC)
    table.put_into_play(0, "RO-102", "RO-208")
    table.start("BS-183", power=5).do("assign RO-208", "no", "pass")
    refresh(table.r, table.s)
    assert firepower_total(table.r, table.s, 0) == 2
    table.do("assign BS-100")
    refresh(table.r, table.s)
    assert firepower_total(table.r, table.s, 0) == 3
    assert firepower_total(table.r, table.s, 1) == 0


# --- the score pile


def test_a_scored_apophis_gives_power_in_the_turns_of_the_opponent():
    """SL-288: IN_VSCORE POWER_END: POWER(V,+1)."""
    table = Table(CARTER, deck_with(TEALC, "SL-288"))
    scored(table, "SL-288")
    assert table.start("BS-204").power == [3, 4]
    table = Table(CARTER, deck_with(TEALC, "SL-288"))
    table.put_into_play(1, "SL-288")
    assert table.start("BS-204").power == [3, 3]


def test_a_scored_anubis_strengthens_goauld_and_jaffa():
    """SL-287: DIFF +1 and REVIVE +2 for adversaries[Goa'uld|Jaffa,owner=V]."""
    table = Table(CARTER, deck_with(TEALC, "SL-287", "SL-001"))
    table.put_into_play(1, "BS-026", "SL-001")
    table.start("BS-204")
    assert table.ratings("BS-026", 1) == [2, -1, 2, -1]
    scored(table, "SL-287")
    table.look_again()
    assert table.ratings("BS-026", 1) == [3, -1, 3, -1]
    assert table.s.changes[table.card("BS-026", 1, "play"), REVIVE_PLUS] == 2
    assert table.ratings("SL-001", 1) == [1, 2, -1, 2]


def test_a_scored_prior_makes_obstacles_with_failure_texts_cheaper():
    """RO-006: COST(obstacle[has_failure_text],all,-1); not while it is in play."""
    table = Table(CARTER, deck_with(TEALC, "RO-006"))
    table.give(1, "BS-219", "BS-265")
    table.start("BS-204")
    scored(table, "RO-006")
    table.look_again()
    assert (cost(table, "BS-219", 1), cost(table, "BS-265", 1)) == (2, 2)
    put(table.s, table.card("RO-006", 1), DISCARD)
    table.look_again()
    assert (cost(table, "BS-219", 1), cost(table, "BS-265", 1)) == (3, 2)


def test_a_mission_that_is_played_again_has_marked_nobody():
    """RO-144: BLOCK(team,1) & MARK(that); ON_FAIL: INCAP(marked)."""
    table = Table(deck_with(CARTER, "RO-144"), TEALC)
    table.start("RO-144", power=9).do("choose BS-095", "pass", "pass")
    assert table.condition("BS-095") == "incap"
    push_mission(table.s, table.card("RO-144", 0), True)
    table.look_again()
    table.do("yes", "choose BS-102", "pass", "pass")
    assert table.condition("BS-102", 0) == "incap"
    assert table.s.mark_count == 1  # that of the second time
