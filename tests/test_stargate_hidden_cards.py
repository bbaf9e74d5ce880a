"""Texts that look at, reveal, search and tuck hidden cards (EFFECTS.md: power, hands, piles)."""

from stargate_positions import CARTER, TEALC, Table, deck_with

from stargate_env.state import DISCARD, REVIVE_PLUS, SEAT_STRIDE
from stargate_env.table import knows, push_deck, put, remove_from_deck


def pile(table, seat=0):
    """The mission pile from the bottom."""
    size = int(table.s.missions_size[seat])
    return [table.tables.lists[seat][int(k)].card_id for k in table.s.missions[seat][:size]]


def deck_cards(table, seat):
    """The deck from the bottom."""
    size = int(table.s.deck_size[seat])
    return [table.tables.lists[seat][int(k)].card_id for k in table.s.deck[seat][:size]]


def top_of_deck(table, seat, *card_ids):
    """Cards on top of a deck, the first one topmost."""
    for card_id in reversed(card_ids):
        card = table.card(card_id, seat, "deck")
        remove_from_deck(table.s, card)
        push_deck(table.s, card)


def beneath(table, card_id, seat):
    """The cards that lie tucked beneath a card."""
    host = table.card(card_id, seat, "play")
    return sorted(
        card.card_id
        for owner in (0, 1)
        for place, card in enumerate(table.tables.lists[owner])
        if table.s.host[owner * SEAT_STRIDE + place] == host
    )


def seers(table, card_id, seat, zone):
    """The seats that know a card."""
    card = table.card(card_id, seat, zone)
    return [player for player in (0, 1) if knows(table.s, player, card)]


# --- SEARCH_MISSION, SHUFFLE


def test_a_found_mission_lies_on_top_and_only_its_finder_knows():
    """BS-079: MAY SEARCH_MISSION(1,to=missions_top)."""
    table = Table(deck_with(CARTER, "BS-079"), TEALC)
    table.give(0, "BS-079")
    table.start("BS-204", power=9).do("play BS-079", "yes")
    assert "done" not in table.legal and "choose BS-183" in table.legal
    table.do("choose BS-183")
    assert pile(table)[-1] == "BS-183" and len(pile(table)) == 11
    assert seers(table, "BS-183", 0, "missions") == [0]


def test_a_search_can_be_declined_and_needs_a_pile():
    table = Table(deck_with(CARTER, "BS-079"), TEALC)
    table.give(0, "BS-079")
    table.start("BS-204", power=9)
    before = pile(table)
    assert pile(table.do("play BS-079", "no")) == before
    table = Table(deck_with(CARTER, "BS-079"), TEALC)
    table.give(0, "BS-079")
    table.start("BS-204", power=9)
    for card_id in pile(table):
        put(table.s, table.card(card_id, 0, "missions"), DISCARD)
    table.s.missions_size[0] = 0
    table.look_again()
    assert table.do("play BS-079").prompt == "main"


def test_a_search_as_an_ability_needs_its_costs():
    """BS-047: ACT[STOP(self)+DISCARD(H.hand,1)] -> SEARCH_MISSION(1,to=missions_top)."""
    table = Table(deck_with(CARTER, "BS-047"), TEALC)
    table.put_into_play(0, "BS-047")
    assert "use BS-047" not in table.start("BS-204", power=9).legal
    table.give(0, "BS-072")
    table.look_again()
    table.do("use BS-047", "choose BS-193")
    assert pile(table)[-1] == "BS-193" and table.condition("BS-047") == "stopped"


def test_a_bridge_shuffles_the_pile_so_that_nobody_knows_it():
    """RO-203: MAY SHUFFLE(H.missions)."""
    for answer, expected in (("no", [0]), ("yes", [])):
        table = Table(CARTER, deck_with(TEALC, "RO-203"))
        table.give(1, "RO-203")
        table.start("BS-204", "BS-183", power=9)
        table.s.known[table.card("BS-183", 0)] = 1
        table.look_again()
        table.do("pass", "play RO-203", answer)
        assert seers(table, "BS-183", 0, "missions") == expected
        assert len(pile(table)) == 11


# --- LOOK


def harriman(*missions):
    table = Table(deck_with(CARTER, "BS-082"), TEALC)
    table.put_into_play(0, "BS-082")
    return table.start(*missions)


def test_of_two_seen_missions_one_stays_on_top_and_the_other_goes_under():
    """BS-082: MAY LOOK(H.missions,2) -> PUT(seen,1,to=missions_top) & PUT(rest,..bottom)."""
    table = harriman("BS-204", "BS-183").do("yes")
    assert sorted(table.legal) == ["choose BS-183", "choose BS-204"]
    table.do("choose BS-183")
    assert table.tables.lists[0][int(table.s.current)].card_id == "BS-183"
    assert pile(table)[0] == "BS-204"
    assert seers(table, "BS-204", 0, "missions") == [0]


def test_two_missions_are_needed_to_look_at_two():
    table = Table(deck_with(CARTER, "BS-082"), TEALC)
    table.put_into_play(0, "BS-082")
    for card_id in pile(table)[:-1]:
        put(table.s, table.card(card_id, 0, "missions"), DISCARD)
    table.s.missions[0][0] = table.s.missions[0][int(table.s.missions_size[0]) - 1]
    table.s.missions_size[0] = 1
    assert table.start().prompt == "main"


def test_weir_looks_at_as_many_missions_as_there_are_glyphs():
    """RO-031: three glyphs of assigned characters; one on top, the rest below in her order."""
    table = Table(deck_with(CARTER, "RO-031"), TEALC)
    table.put_into_play(0, "RO-031")
    for mission in ("BS-202", "BS-182", "BS-187"):
        table.glyph(mission, "BS-102")
    table.start("BS-204", "BS-183", "BS-193", "BS-192", power=9)  # Culture 4
    table.do("assign RO-031", "pass", "assign BS-102", "pass", "assign BS-086", "pass", "pass")
    assert sorted(table.legal) == ["choose BS-183", "choose BS-192", "choose BS-193"]
    table.do("choose BS-193")
    assert sorted(table.legal) == ["choose BS-183", "choose BS-192"]
    table.do("choose BS-192")  # the other one is placed last and lies lowest
    assert pile(table)[:2] == ["BS-183", "BS-192"] and pile(table)[-1] == "BS-193"


def test_weir_without_glyphs_sees_nothing():
    table = Table(deck_with(CARTER, "RO-031"), TEALC)
    table.put_into_play(0, "RO-031")
    table.start("BS-204", "BS-183", power=9)
    table.do("assign RO-031", "pass", "assign BS-100", "pass")
    before = pile(table)
    table.do("pass")
    assert table.prompt == "recipient" and pile(table) == before


def test_the_villain_may_bring_up_the_lowest_mission():
    """SL-259: LOOK(H.missions_bottom,1) & CHOOSE{PUT(seen,..top) / PUT(seen,..bottom)}."""
    for option, index in (("option 1", -1), ("option 2", 0)):
        table = Table(CARTER, deck_with(TEALC, "SL-259"))
        table.give(1, "SL-259")
        table.start("BS-204", power=9)
        lowest = pile(table)[0]
        table.do("pass", "play SL-259")
        assert seers(table, lowest, 0, "missions") == [1]
        table.do(option)
        assert pile(table)[index] == lowest and len(pile(table)) == 11


def torture(with_adversary):
    table = Table(CARTER, deck_with(TEALC, "SL-267", "BS-016"))
    table.give(1, "SL-267")
    table.give(0, "BS-072", "BS-067", "BS-130")
    if with_adversary:
        table.put_into_play(1, "BS-016")
    table.start("BS-175", power=9).do("pass", "play SL-267")
    return table.do("pass", "assign BS-016") if with_adversary else table


def test_a_villain_who_looks_at_the_hand_chooses_what_is_discarded():
    """SL-267: IF(adversary[Goa'uld,assigned]) {LOOK(H.hand,all) & DISCARD(H.hand,1,by=V)}."""
    table = torture(with_adversary=True).do("pass", "pass")
    table.do("option 2")
    assert (table.prompt, table.player) == ("target", 1)
    assert sorted(table.legal) == [
        f"choose their {name}" for name in ("BS-067", "BS-072", "BS-130")
    ]
    assert seers(table, "BS-130", 0, "hand") == [0, 1]
    table.do("choose their BS-130")
    assert table.hand(0) == ["BS-067", "BS-072"]


def test_without_a_goauld_two_cards_are_discarded_at_random():
    table = torture(with_adversary=False).do("pass", "pass")
    assert len(table.hand(0)) == 1 and table.prompt == "continue"


# --- REVEAL


def test_a_random_villain_card_is_shown_and_discarded():
    """BS-154: REVEAL(V.hand,1,random) & IF(seen[villain]) DISCARD(seen)."""
    for card_id, expected in (("BS-250", "discard"), ("BS-072", "hand")):
        table = Table(deck_with(CARTER, "BS-154"), TEALC)
        table.put_into_play(0, "BS-154")
        table.give(1, card_id)
        table.start("BS-204", power=2).do("use BS-154")
        card = table.card(card_id, 1, expected)
        assert knows(table.s, 0, card) and table.power[0] == 0


def test_nothing_is_shown_of_an_empty_hand():
    table = Table(deck_with(CARTER, "BS-154"), TEALC)
    table.put_into_play(0, "BS-154")
    table.start("BS-204", power=2).do("use BS-154")
    assert table.power[0] == 0 and table.condition("BS-154") == "stopped"


def test_a_drone_lowers_the_difficulty_for_a_villain_card():
    """RO-108: IF(seen[villain]) DIFF(mission,-1); the card stays in the hand."""
    for card_id, change in (("BS-250", -1), ("BS-072", 0)):
        table = Table(deck_with(CARTER, "RO-108"), TEALC)
        table.put_into_play(0, "RO-108")
        table.give(1, card_id)
        table.start("BS-204", power=2)
        before = table.difficulty
        table.do("use RO-108")
        assert table.difficulty == before + change and table.hand(1) == [card_id]


def test_a_hero_card_on_the_deck_dooms_morgan():
    """RO-046: REVEAL(H.deck,1) & IF(seen[hero]) DELAY(END_MISSION){DESTROY(self)}."""
    for top, zone in (("BS-072", "discard"), ("BS-250", "play")):
        table = Table(deck_with(CARTER, "RO-046"), TEALC)
        table.put_into_play(0, "RO-046")
        top_of_deck(table, 0, top)
        table.start("BS-183", power=9).do("assign RO-046")
        assert seers(table, deck_cards(table, 0)[-1], 0, "deck") == [0, 1] or top == "BS-250"
        assert deck_cards(table, 0)[-1] == top
        table.do("pass", "pass")
        assert table.zone("RO-046") == zone


def test_jonas_gains_for_villain_cards_and_puts_all_under_the_deck():
    """RO-238: one card for each symbol beneath him; his player orders them."""
    table = Table(deck_with(CARTER, "RO-238"), TEALC)
    table.glyph("BS-202", "RO-238")
    table.glyph("BS-182", "RO-238")
    top_of_deck(table, 0, "BS-250", "BS-072", "BS-067")
    table.start("BS-204", power=9).do("assign RO-238")
    assert table.ratings("RO-238") == [3, 3, 2, 2]
    assert sorted(table.legal) == ["choose BS-072", "choose BS-250"]
    table.do("choose BS-250")
    assert deck_cards(table, 0)[:2] == ["BS-072", "BS-250"] and deck_cards(table, 0)[-1] == "BS-067"


def test_a_mothership_counts_the_ori_cards_of_the_hand():
    """RO-231: MAY PAY(2) -> REVEAL(V.hand,all) & POWER(V,+#seen[Ori])."""
    table = Table(CARTER, deck_with(TEALC, "RO-231", "RO-230", "SL-284"))
    table.put_into_play(1, "RO-231")
    table.give(1, "RO-230", "SL-284", "BS-250")
    table.start("BS-204", power=5).do("pass", "assign RO-231", "yes")
    assert table.power[1] == 5 - 2 + 2
    assert len(table.hand(1)) == 3
    assert all(knows(table.s, 0, table.card(name, 1, "hand")) for name in table.hand(1))


# --- TUCK


def mot(*hand, power=3):
    table = Table(CARTER, deck_with(TEALC, "BS-016"))
    table.put_into_play(1, "BS-016")
    table.give(1, *hand)
    return table.start("BS-204", power=power).do("pass")


def test_mot_tucks_a_card_that_he_can_pay_for_and_sells_it():
    """BS-016: BLOCK(self)+REVEAL(V.hand[!team],1)+PAY(cost(seen)); TUCK; sold for its cost."""
    table = mot("BS-004", "BS-219", "BS-250").do("use BS-016")  # costs 4, 3, 1
    assert sorted(table.legal) == ["choose BS-219", "choose BS-250"]
    table.do("choose BS-219")
    assert table.power[1] == 0 and beneath(table, "BS-016", 1) == ["BS-219"]
    assert seers(table, "BS-219", 1, "tucked") == [0, 1]
    assert "assign BS-016" not in table.do("pass").legal
    table.do("use BS-016")  # only the second ability is left
    assert table.power[1] == 3 and "discard" in table.zones("BS-219", 1)


def test_mot_needs_a_card_that_he_can_pay_for():
    assert "use BS-016" not in mot("BS-219", power=2).legal
    assert "use BS-016" not in mot(power=3).legal


def revived(card_id, top):
    """An adversary that was revived once, with `top` on the villain's deck behind the cost."""
    table = Table(CARTER, deck_with(TEALC, card_id))
    table.put_into_play(1, card_id)
    cost = table.tables.lists[1][table.card(card_id, 1) % SEAT_STRIDE].revive_cost
    top_of_deck(table, 1, top)
    filler = [name for name in deck_cards(table, 1) if name != top][:cost]
    top_of_deck(table, 1, *filler)
    table.start("BS-183", "BS-168", power=9)
    table.do("pass", f"assign {card_id}", "pass", "pass", "revive")
    return table


def test_fifth_grows_with_each_card_beneath_him():
    """BS-009: TUCK(V.deck,1,facedown) when revived; difficulty and revive cost +#tucked."""
    table = revived("BS-009", "BS-219")
    assert beneath(table, "BS-009", 1) == ["BS-219"]
    assert seers(table, "BS-219", 1, "tucked") == [1]
    assert table.ratings("BS-009") == [2, 2, -1, 2]
    assert table.s.changes[table.card("BS-009", 1), REVIVE_PLUS] == 1


def test_cards_beneath_follow_their_card_to_the_discard_pile():
    table = revived("BS-009", "BS-219")
    table.do("yes").do("pass")  # continue with the next mission
    table.s.condition[table.card("BS-009", 1)] = 0
    table.look_again()
    table.do("assign BS-009", "pass", "pass", "let die")
    assert table.zone("BS-009") == "discard" and "tucked" not in table.zones("BS-219", 1)


def test_a_scored_hathor_still_counts_the_cards_beneath_her():
    """SL-291: ON_SCORE: DESTROY(gear|support,#tucked), counted before she leaves."""
    table = revived("SL-291", "BS-219")
    table.put_into_play(0, "BS-072", "BS-067")
    table.do("yes").do("pass")
    table.s.condition[table.card("SL-291", 1)] = 0
    table.look_again()
    table.do("assign SL-291", "pass", "pass", "score")
    assert sorted(table.legal) == ["choose their BS-067", "choose their BS-072"]
    table.do("choose their BS-067")
    assert sorted(table.zone(name, 0) for name in ("BS-067", "BS-072")) == ["discard", "play"]
    assert table.zone("SL-291") == "vscore" and "tucked" not in table.zones("BS-219", 1)


def test_khalek_takes_a_random_card_of_the_hero():
    """SL-012: TUCK(H.hand,1,random,faceup); +#tucked[hero]."""
    for card_id, rating in (("BS-072", 2), ("BS-250", 1)):
        table = Table(CARTER, deck_with(TEALC, "SL-012"))
        table.put_into_play(1, "SL-012")
        table.give(0, card_id)
        table.start("BS-204", power=9).do("pass", "assign SL-012")
        assert beneath(table, "SL-012", 1) == [card_id]
        assert table.ratings("SL-012") == [rating] * 4


def test_khalek_takes_nothing_from_an_empty_hand():
    table = Table(CARTER, deck_with(TEALC, "SL-012"))
    table.put_into_play(1, "SL-012")
    table.start("BS-204", power=9).do("pass", "assign SL-012")
    assert beneath(table, "SL-012", 1) == [] and table.ratings("SL-012") == [1] * 4


def test_a_destroyed_support_character_lies_beneath_the_facility():
    """BS-138: MAY DESTROY(support,1) -> TUCK(that,facedown); +1 experience for each."""
    table = Table(deck_with(CARTER, "BS-138"), TEALC)
    table.put_into_play(0, "BS-138", "BS-072")
    table.start("BS-202", power=9)  # Ingenuity 3
    table.do("assign BS-095", "pass", "pass", "no")
    assert (table.prompt, table.player) == ("may", 0)
    table.do("yes")
    assert beneath(table, "BS-138", 0) == ["BS-072"]
    assert table.s.experience_plus[0] == 1


def test_a_mothership_abducts_an_assigned_support_character():
    """RO-232: MAY PAY(3) -> TUCK(support[assigned],1,facedown); its glyph goes to the pile."""
    table = Table(CARTER, deck_with(TEALC, "RO-232"))
    table.put_into_play(1, "RO-232")
    table.put_into_play(0, "BS-067")
    table.glyph("BS-202", "BS-067")
    table.start("BS-204", power=9).do("assign BS-067", "assign RO-232", "yes")
    assert beneath(table, "RO-232", 1) == ["BS-067"]
    assert pile(table)[0] == "BS-202" and table.hero_total == 0
