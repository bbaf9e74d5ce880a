"""The Stargate TCG with three to six players (RULES.md §12)."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from stargate_positions import CARTER, TEALC, Table, deck_with
from test_stargate_games import POOL, check_state, play

from stargate_env import rules
from stargate_env.decks import official_deck, random_deck
from stargate_env.legal import legal_actions
from stargate_env.ruleset import make_rules
from stargate_env.sizes import ADVERSARY as ADVERSARY_TYPE
from stargate_env.sizes import SUPPORT
from stargate_env.state import (
    ACTIONS,
    HAND,
    INCAP,
    NO_SEAT,
    OTHER,
    OWN,
    PROMPTS,
    REASON_GLYPHS,
    SEAT_STRIDE,
    SEAT_WORDS,
    STATE_6,
    STOPPED,
    VSCORE,
)
from stargate_env.table import count_glyphs, in_play_word, put, remove_from_deck, type_of
from tabletop_core.errors import TabletopError
from tabletop_core.game import allocate
from tabletop_core.rng import seed_to_word

APOPHIS, ONEILL = official_deck("apophis"), official_deck("oneill")
TWELVE = deck_with(CARTER, "BS-107")  # a team of 2 + 4 + 3 + 3 points; those above have 14
ADVERSARY = "BS-004"
KEEP_IN_CHECK = "BS-117"  # return an adversary to its owner's hand
VILLAIN_SHIP = "RO-223"


@cache
def rules_of(*decks):
    """The RULES record of some decks."""
    return make_rules(decks)[0]


class Setup:
    """A game at its first prompt."""

    def __init__(self, *decks, seed=1):
        record = rules_of(*decks)
        self.state = allocate(STATE_6, 1)
        self.r, self.s = record[0], self.state[0]
        self.s.rng = seed_to_word(seed)
        rules.new_game(self.r, self.s)

    @property
    def asked(self):
        return PROMPTS[self.s.prompt], int(self.s.current_player)

    @property
    def legal(self):
        legal_actions(self.r, self.s)
        return [a for a in range(ACTIONS.count) if int(self.s.legal[a >> 6]) >> (a & 63) & 1]

    def answer(self, action):
        assert action in self.legal
        rules.apply_action(self.r, self.s, action)

    def stopped(self):
        return [int(card) for card in np.flatnonzero(self.s.condition == STOPPED)]

    def hand_sizes(self):
        seats = range(self.s.num_players)
        return [
            int((self.s.zone[seat * SEAT_STRIDE : (seat + 1) * SEAT_STRIDE] == HAND).sum())
            for seat in seats
        ]


def pass_turn(table):
    """Do nothing until another player is the hero."""
    hero, first = int(table.s.hero), {"main": "pass", "continue": "no"}
    while int(table.s.hero) == hero and not table.is_over:
        table.do(first.get(table.prompt, table.text_of(table._legal_ids()[0])))


def start_turn_of(table, seat):
    """Begin the turn of a seat."""
    table.s.hero = seat
    table.start(power=9)


def seats_in_play(s):
    """The seats that have a card in play which is not ignored."""
    return sorted({k // SEAT_WORDS for k in range(len(s.hero_side)) if in_play_word(s, k)})


# --- set-up


def test_victory_total_is_the_team_of_the_left_neighbour():
    """§12, VT: by the team of the player on one's left."""
    sixteen = deck_with(CARTER, "BS-094")  # 6 + 4 + 3 + 3
    s = Setup(TWELVE, TEALC, sixteen, APOPHIS).s
    assert s.victory_total[:4].tolist() == [14, 16, 14, 12]


def test_first_player_is_drawn_among_the_tied():
    """A13, §12: victory totals 14, 14, 12."""
    firsts = Counter()
    for seed in range(60):
        setup = Setup(TWELVE, TEALC, CARTER, seed=seed)
        assert setup.s.victory_total[:3].tolist() == [14, 14, 12]
        firsts[int(setup.s.first_player)] += 1
        assert setup.s.hero == setup.s.first_player
    assert set(firsts) == {0, 1} and min(firsts.values()) >= 15


@pytest.mark.parametrize("seat", range(4))
def test_highest_victory_total_begins(seat):
    """§12, first player: without a tie nothing is drawn."""
    decks = [TWELVE, TWELVE, TWELVE, TWELVE]
    decks[(seat + 1) % 4] = TEALC
    for seed in range(4):
        assert Setup(*decks, seed=seed).s.first_player == seat


def test_left_neighbour_of_the_first_player_stops_one_card_of_each():
    """§12, stops: one of the first player's, then one of his own; nobody else has one."""
    setup = Setup(CARTER, TEALC, TWELVE, APOPHIS, seed=3)
    first = int(setup.s.first_player)
    second = (first + 1) % 4
    assert setup.asked == ("team_stop", second)
    assert setup.legal == [OTHER + place for place in range(4)]
    setup.answer(OTHER + 2)
    assert setup.stopped() == [first * SEAT_STRIDE + 2]
    assert setup.asked == ("team_stop", second)
    assert setup.legal == [OWN + place for place in range(4)]
    setup.answer(OWN + 1)
    assert sorted(setup.stopped()) == sorted([first * SEAT_STRIDE + 2, second * SEAT_STRIDE + 1])
    assert setup.asked[0] == "mulligan"


@pytest.mark.parametrize("count", [3, 5, 6])
def test_all_draw_eight_and_decide_about_them_in_the_order_of_turns(count):
    """§12, mulligans."""
    setup = Setup(*[TEALC, CARTER, APOPHIS, ONEILL, TWELVE, TEALC][:count], seed=2)
    first = int(setup.s.first_player)
    setup.answer(OTHER)
    setup.answer(OWN)
    assert setup.hand_sizes() == [8] * count
    for k in range(count):
        seat = (first + k) % count
        assert setup.asked == ("mulligan", seat)
        before = setup.s.zone.tolist()
        setup.answer(ACTIONS.first("yes" if k == 1 else "no"))
        if k != count - 1:
            changed = np.flatnonzero(setup.s.zone != before) // SEAT_STRIDE
            assert set(changed.tolist()) <= ({seat} if k == 1 else set())
    assert setup.hand_sizes() == [8] * count
    assert setup.asked[1] in (first, (first + 1) % count) and setup.s.hero == first


def test_number_of_decks():
    with pytest.raises(TabletopError, match="for 2 to 6 players with a deck each, not for 7"):
        make_rules([TEALC] * 7)


# --- roles


def test_inactive_players_have_no_power():
    """A13, §12, roles: the third player gets none."""
    table = Table(CARTER, TEALC, TWELVE).start("BS-183")
    assert table.power == [3, 3, 0, 0, 0, 0]
    assert table.player == 0
    table.do("pass")
    assert table.player == 1


def test_power_counts_the_glyphs_of_the_hero_alone():
    """§7 POWER, §12."""
    table = Table(CARTER, TEALC, APOPHIS)
    table.glyph("BS-204", "BS-095")
    mission = table.tables.lists[2][4].card_id
    table.glyph(mission, APOPHIS.team[0], seat=2)
    assert table.start("BS-183").power[:3] == [4, 4, 0]


def test_no_card_of_an_inactive_player_is_in_play():
    """§12, roles: neither their hero cards nor their villain cards."""
    table = Table(CARTER, TEALC, TEALC, TEALC)
    for seat in (1, 2, 3):
        table.put_into_play(seat, ADVERSARY)
    table.start("BS-183")
    assert seats_in_play(table.s) == [0, 1]
    pass_turn(table)
    assert table.s.hero == 1 and seats_in_play(table.s) == [1, 2]


def test_texts_reach_the_active_villain_only():
    """§12, roles: adversaries of inactive players cannot be chosen."""
    table = Table(deck_with(CARTER, KEEP_IN_CHECK), TEALC, TEALC)
    table.give(0, KEEP_IN_CHECK)
    table.put_into_play(1, ADVERSARY, "BS-026")
    table.put_into_play(2, ADVERSARY, "BS-026")
    table.start("BS-183", power=9).do(f"play {KEEP_IN_CHECK}")
    assert sorted(table.legal) == sorted([f"choose their {ADVERSARY}", "choose their BS-026"])
    table.do(f"choose their {ADVERSARY}")
    assert (table.zone(ADVERSARY, 1), table.zone(ADVERSARY, 2)) == ("hand", "play")


def test_villain_chooses_among_the_cards_of_the_hero():
    """§12: "their" cards are those of the other active player, whatever his seat."""
    table = Table(TEALC, TEALC, CARTER)
    table.give(0, "BS-265")
    start_turn_of(table, 2)
    assert (table.s.hero, table.player) == (2, 2)
    table.do("pass")
    assert table.player == 0
    assert "complicate with BS-265" in table.legal


def test_players_take_turns_to_the_left():
    """§12, turn order."""
    table = Table(CARTER, TEALC, TWELVE, APOPHIS).start()
    heroes = []
    for _ in range(6):
        heroes.append(int(table.s.hero))
        pass_turn(table)
    assert heroes == [0, 1, 2, 3, 0, 1]
    assert table.s.turn_count == 6


# --- debrief and the following turns


def test_only_the_active_players_refill_their_hands():
    """§12, debrief."""
    table = Table(CARTER, TEALC, TWELVE, APOPHIS).start()
    pass_turn(table)
    assert [len(table.hand(seat)) for seat in range(4)] == [8, 8, 0, 0]
    pass_turn(table)
    assert [len(table.hand(seat)) for seat in range(4)] == [8, 8, 8, 0]


def test_hero_cards_are_readied_in_their_owners_debrief_only():
    """§12, debrief: the second player's stopped character stays so until his own."""
    table = Table(CARTER, TEALC, TWELVE)
    table.s.condition[table.card("BS-095", 0)] = STOPPED
    table.s.condition[table.card("BS-105", 1)] = STOPPED
    table.s.condition[table.card("BS-107", 2)] = STOPPED
    table.start()
    conditions = []
    for _ in range(3):
        pass_turn(table)
        named = [("BS-095", 0), ("BS-105", 1), ("BS-107", 2)]
        conditions.append([table.condition(card, seat) for card, seat in named])
    assert conditions == [
        ["ready", "stopped", "stopped"],
        ["ready", "ready", "stopped"],
        ["ready", "ready", "ready"],
    ]


def test_incapacitated_villain_ship_recovers_when_its_owner_is_the_villain():
    """§12: not in its owner's own turn, nor while he is inactive."""
    table = Table(CARTER, deck_with(TEALC, VILLAIN_SHIP), TWELVE)
    table.put_into_play(1, VILLAIN_SHIP)
    ship = table.card(VILLAIN_SHIP, 1)
    start_turn_of(table, 1)
    table.s.condition[ship] = INCAP
    pass_turn(table)
    assert table.s.hero == 2 and table.condition(VILLAIN_SHIP, 1) == "incap"
    pass_turn(table)
    assert table.s.hero == 0 and table.condition(VILLAIN_SHIP, 1) == "stopped"
    pass_turn(table)
    assert table.s.hero == 1 and table.condition(VILLAIN_SHIP, 1) == "ready"


def test_incapacitated_character_recovers_in_the_next_turn_of_its_owner():
    """§3.2, §12."""
    table = Table(CARTER, TEALC, TWELVE).start()
    table.s.condition[table.card("BS-095", 0)] = INCAP
    seen = []
    for _ in range(4):
        pass_turn(table)
        seen.append((int(table.s.hero), table.condition("BS-095", 0)))
    assert seen == [(1, "incap"), (2, "incap"), (0, "stopped"), (1, "ready")]


# --- texts that look beyond a turn


def test_effects_for_the_opponents_turn_wait_until_their_owner_is_the_villain():
    """§12: BS-041 gives two power in the next turn in which its owner is the villain."""
    table = Table(deck_with(CARTER, "BS-041"), TEALC, TWELVE)
    table.put_into_play(0, "BS-041")
    table.start("BS-183").do("use BS-041")
    powers = []
    for _ in range(3):
        pass_turn(table)
        powers.append(table.power[:3])
    assert powers == [[0, 3, 3], [5, 0, 3], [3, 3, 0]]


def test_hero_card_that_acts_as_adversary_does_so_when_its_owner_is_the_villain():
    """§6, §12: BS-063 works in the turn to its owner's right, not in that of others."""
    table = Table(deck_with(CARTER, "BS-063"), TEALC, TWELVE)
    table.put_into_play(0, "BS-063")
    card = table.card("BS-063", 0)
    found = []
    for hero in (0, 1, 2):
        start_turn_of(table, hero)
        is_in_play = bool(in_play_word(table.s, card >> 6) >> np.uint64(card & 63) & np.uint64(1))
        found.append((is_in_play, type_now(table, card)))
        pass_turn(table)
    assert found == [(True, SUPPORT), (False, SUPPORT), (True, ADVERSARY_TYPE)]


def type_now(table, card):
    return int(type_of(table.r, table.s, card))


def test_skipped_turn_is_the_next_one_of_the_player():
    """§12: SL-281 takes a turn from the hero who failed; the others' follow each other."""
    table = Table(CARTER, deck_with(TEALC, "SL-281"), TWELVE)
    table.give(1, "SL-281")
    table.start("BS-183", power=9).do("pass", "play SL-281", "pass", "pass")
    heroes = []
    for _ in range(5):
        heroes.append(int(table.s.hero))
        pass_turn(table)
    assert heroes == [0, 1, 2, 1, 2]
    assert table.s.hero == 0


def test_texts_of_a_score_pile_work_for_active_players():
    """§12: SL-021 in a score pile gives power in its owner's own turns only."""
    table = Table(CARTER, deck_with(TEALC, "SL-021"), TWELVE)
    scored = table.card("SL-021", 1, "deck")
    remove_from_deck(table.s, scored)
    put(table.s, scored, VSCORE)
    table.start()
    powers = []
    for _ in range(3):
        powers.append(table.power[:3])
        pass_turn(table)
    assert powers == [[3, 3, 0], [0, 4, 3], [3, 0, 3]]


# --- the end


def test_promotion_raises_the_total_of_the_right_neighbour_alone():
    """§10, §12, VT: a token on the hero's team counts for the player who has him to his left."""
    table = Table(CARTER, TEALC, TWELVE, APOPHIS).start()
    before = table.s.victory_total[:4].tolist()
    table.s.tokens[table.card("BS-095", 0)] = 1
    table.look_again()
    table.do("pass")
    assert table.s.victory_total[:4].tolist() == [*before[:3], before[3] + 1]


def test_hero_wins_before_his_left_neighbours():
    """§10, §12: of those who qualify at the same instant the hero, then in the order of turns."""
    for hero, winner in ((0, 1), (1, 1), (2, 2), (3, 1)):
        table = Table(CARTER, TEALC, TEALC, CARTER)
        for seat in (1, 2):
            for mission in TEALC.missions[:7]:
                table.glyph(mission, "BS-105", seat)
        table.s.hero = hero
        rules.check_victory(table.r, table.s)
        assert table.s.winner == winner
        assert table.s.end_reasons & REASON_GLYPHS


def test_inactive_player_wins_at_once():
    """§12, winning: the first player to meet §10, active or not; his total may fall."""
    table = Table(CARTER, TEALC, TWELVE).start()
    assert table.s.winner == NO_SEAT
    for mission in TWELVE.missions[:7]:
        table.glyph(mission, "BS-107", 2)
    table.look_again()
    table.do("pass")
    assert (table.s.winner, table.s.end_reasons & REASON_GLYPHS) == (2, REASON_GLYPHS)


def test_result_of_a_game_of_four():
    """§10: experience as points, one winner."""
    table = Table(CARTER, TEALC, TWELVE, APOPHIS).start()
    for mission in TEALC.missions[:7]:
        table.glyph(mission, "BS-105", 1)
    table.look_again()
    table.do("pass")
    points, is_winner = np.zeros(4), np.zeros(4, np.bool_)
    rules.final_result(table.r, table.s, points, is_winner)
    assert points.tolist() == [0, sum(POOL.by_id[m].experience for m in TEALC.missions[:7]), 0, 0]
    assert is_winner.tolist() == [False, True, False, False]
    assert count_glyphs(table.s, 1) == 7


# --- whole games


def check_game(count, seed, size, every):
    """A random game with random decks: conservation, power of the active players, an end."""
    decks = [random_deck(7 * seed + k, POOL, size=size + 2 * k) for k in range(count)]
    for step, s in enumerate(play(decks, seed)):
        if step % every == 0:
            check_state(s, sum(16 + len(deck.deck) for deck in decks))
        active = (int(s.hero), int(s.hero + 1) % count)
        assert not any(s.power[seat] for seat in range(count) if seat not in active)
    assert (s.winner < count) == (s.end_reasons != 0)


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_games_conserve_all_cards_and_end(count):
    """§12: random decks, random decisions."""
    check_game(count, count, 40, 8)


@pytest.mark.long
@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_many_games_conserve_all_cards_and_end(count):
    """§12: the same with decks of all sizes."""
    for seed in range(100):
        check_game(count, 1000 * count + seed, 40 + seed // 2, 32)
