"""`determinize`: what a player cannot know is drawn again, right for every hidden zone (§6).

Three proofs. In random games nothing that the player knows changes. In hand-written positions with
few unknown cards all worlds that agree with the public facts are listed in plain Python, and the
frequencies of the drawn worlds are compared with them (chi-square, fixed seeds). In games that are
really played a player with a perfect memory keeps book of what happened in the open, and the drawn
worlds are compared with that book.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import combinations, islice, product
from math import comb
from random import Random
from typing import Any

import pytest
from jumpgate_positions import choose, random_positions
from rule_checks import Data, random_word
from test_jumpgate_rules import (
    PLANETS,
    Table,
    all_but,
    check_invariants,
    resource_name,
    table,
)
from test_jumpgate_rulings import black_hole_end
from worlds import World, check_frequencies, drawn, uniform

from jumpgate_env.jumpgate_v0 import GAME
from tabletop_core.session import Session

Cards = frozenset[str]
ALL_RESOURCES = frozenset(f"R{k:02}" for k in range(1, 49))
ALL_NAVIGATION = frozenset(f"N{k:02}" for k in range(1, 49))


# --- worlds ---------------------------------------------------------------------------------------


def deals(cards: Cards, counts: Sequence[int]) -> Iterator[tuple[Cards, ...]]:
    """All ways to deal so many of the cards to each of several hands, the rest to nobody."""
    if not counts:
        yield ()
        return
    for hand in combinations(sorted(cards), counts[0]):
        for others in deals(cards - set(hand), counts[1:]):
            yield (frozenset(hand), *others)


def opponents(data: Data, player: int) -> list[int]:
    return [other for other in range(len(data["hands"])) if other != player]


def hidden_worlds(data: Data, player: int, excluded: Sequence[str] = ("fame*",)) -> list[World]:
    """§2.3, §6: the opponents' hidden resources are any that are seen nowhere and may be hidden."""
    open_cards = {
        card
        for pile in (*data["face_up"], *data["collected"], data["removed"], data["hidden"][player])
        for card in pile
    }
    allowed = {card for card in ALL_RESOURCES - open_cards if resource_name(card) not in excluded}
    counts = [len(data["hidden"][other]) for other in opponents(data, player)]
    return list(deals(frozenset(allowed), counts))


def hidden_of(player: int) -> Callable[[Data], World]:
    return lambda data: tuple(frozenset(data["hidden"][k]) for k in opponents(data, player))


def hand_worlds(data: Data, player: int) -> list[World]:
    """§6 without a reshuffle: the opponents' hands are any cards not discarded or in one's hand."""
    unknown = ALL_NAVIGATION - set(data["discard"]) - set(data["hands"][player])
    counts = [len(data["hands"][other]) for other in opponents(data, player)]
    return list(deals(frozenset(unknown), counts))


def hands_of(player: int) -> Callable[[Data], World]:
    return lambda data: tuple(frozenset(data["hands"][k]) for k in opponents(data, player))


# --- nothing that is known changes ----------------------------------------------------------------


def test_nothing_known_changes() -> None:
    """§6 what a perfect memory knows: in random games with all options nobody notices a change."""
    rng = Random("consistent")
    is_changed = Counter[str]()
    sessions: dict[int, Session] = {}
    for ruleset, state in islice(random_positions("consistent"), 0, 16_000, 8):
        session = sessions.setdefault(ruleset.digest, Session(ruleset))
        session.from_json(GAME.state_to_json(ruleset, state))
        player = rng.randrange(ruleset.num_players)
        before, legal = session.to_json(), session.legal_actions()
        view, observation = session.to_json(player), session.observe(player).tobytes()
        session.determinize(player, rng.getrandbits(64))
        after = session.to_json()
        assert session.to_json(player) == view
        assert session.observe(player).tobytes() == observation
        if before["current_player"] == player:
            assert session.legal_actions() == legal
        check_invariants(ruleset, after)
        changed = {key for key in before if before[key] != after[key]}
        assert changed <= {"hidden", "unseen", "hands", "deck", "held_since", "rng"}
        is_changed.update(changed)
        session.from_json(after)  # a possible position
    assert set(is_changed) >= {"hidden", "unseen", "hands", "deck", "rng"}


def test_same_seed_same_world() -> None:
    """§6 known to nobody: a seed fixes the world, and other seeds draw other ones."""
    board = table(2, hands=["N01", "N02 N03 N04"])
    worlds = []
    for seed in (1, 1, 2, 3):
        other = board.clone()
        other.session.determinize(0, seed)
        worlds.append(other.session.serialize())
    assert worlds[0] == worlds[1]
    assert len(set(worlds)) == 3


# --- hidden resources -----------------------------------------------------------------------------


def two_players(unseen: str, count: int, **more: Any) -> Table:
    """Two players with `count` hidden resources each; opponent's are the last plain ones."""
    options = {"two_player_hidden": count, "blackhole_limit": 48, **more.pop("options", {})}
    empty: Data = {name: (0, "") for name in list(PLANETS)[:6] if name not in more}
    return table(2, unseen=unseen, at="P05 P05", options=options, **empty, **more)


def test_hidden_resources_without_fame() -> None:
    """§2.3 hidden, §6 hidden resources: 11 of 12 unseen cards that are no fame; 12 worlds."""
    board = two_players("R43 R36", 11, P05=(0, "R42"))
    worlds = hidden_worlds(board.session.to_json(), 0)
    assert len(worlds) == 12
    check_frequencies(drawn(board, 0, 6_000, hidden_of(0)), uniform(worlds))


def test_hidden_resources_with_face_down_ones() -> None:
    """§6 hidden resources: they and face-down and set-aside ones are exchanged; 78 worlds."""
    board = two_players("R43 R36 R24", 11, P05=(1, "R42"))
    worlds = hidden_worlds(board.session.to_json(), 0)
    assert len(worlds) == 78
    check_frequencies(drawn(board, 0, 12_000, hidden_of(0)), uniform(worlds))


def test_hidden_fame() -> None:
    """§10 redeal_fame=False, §6 hidden resources: fame can be hidden then; 78 worlds."""
    board = two_players("R43 R36", 11, P05=(0, "R42"), options={"redeal_fame": False})
    worlds = hidden_worlds(board.session.to_json(), 0, excluded=())
    assert len(worlds) == 78
    check_frequencies(drawn(board, 0, 12_000, hidden_of(0)), uniform(worlds))


@pytest.mark.parametrize("redeal_fame", [True, False])
def test_hidden_nothing(redeal_fame: bool) -> None:
    """§10 deck=nothing2010, §6 hidden resources: Nothing is never hidden."""
    free = [f"R{k}" for k in range(13, 43)]
    fame = "R43 R44 R45 R46 R47"
    board = two_players(
        "R11 R12 R42 R48",
        11,
        P05=(2, ""),
        hidden=[" ".join(free[:11]), " ".join(free[11:22])],
        collected=[fame, " ".join(free[22:-1])],
        removed=" ".join(f"R{k:02}" for k in range(1, 11)),
        options={"deck": "nothing2010", "redeal_fame": redeal_fame},
    )
    excluded = ["sand", *(["fame*"] if redeal_fame else [])]  # R01 to R12 are Nothing here
    worlds = hidden_worlds(board.session.to_json(), 0, excluded)
    assert len(worlds) == (12 if redeal_fame else 78)
    check_frequencies(drawn(board, 0, 12_000, hidden_of(0)), uniform(worlds))


def test_hidden_resources_of_two_opponents() -> None:
    """§6 hidden resources: each opponent gets as many as before; 156 worlds."""
    empty: Data = {name: (0, "") for name in list(PLANETS)[:7] if name != "P05"}
    options = {"hidden_per_player": 1, "blackhole_limit": 48}
    unseen = "R43 R44 R45 R46 R47 R48 R01 R02 R03 R04 R05 R06 R07 R13 R14 R25 R36"
    board = table(at="P05", P05=(0, "R42"), options=options, unseen=unseen, **empty)
    for player in (0, 2):
        worlds = hidden_worlds(board.session.to_json(), player)
        assert len(worlds) == 13 * 12  # 17 unseen less 6 fame, and two that were hidden
        check_frequencies(drawn(board, player, 10_000, hidden_of(player)), uniform(worlds))


def test_scanned_resources_are_hidden_no_more() -> None:
    """§6 hidden resources: what a scan has shown cannot be hidden."""
    revealed = set()
    for number in range(5):
        board = two_players(
            "R43 R36 R24",
            11,
            P05=(1, "R42"),
            hands=["", "N03 N25"],
            turn=1,
            rng=random_word(number),
        ).do("scan", "spend N03", "decline")
        (card,) = set(board.planet("P05")[1].split()) - {"R42"}
        revealed.add(card)
        worlds = hidden_worlds(board.session.to_json(), 0)
        assert len(worlds) == (78 if card == "R43" else 12)
        assert not any(card in hand for (hand,) in worlds)
        check_frequencies(drawn(board, 0, 3_000, hidden_of(0)), uniform(worlds))
    assert len(revealed) >= 2


def test_what_the_next_scan_shows() -> None:
    """§6 known to nobody: after determinizing any unseen card turns up with its chance."""
    board = two_players("R43 R36 R24", 11, P05=(1, "R42"), hands=["N03 N25"])
    data = board.session.to_json()
    unknown = {"R43", *set().union(*(set(hand) for (hand,) in hidden_worlds(data, 0)))}
    shown: Counter[World] = Counter()
    for seed in range(4_000):
        other = board.clone()
        other.session.determinize(0, seed)
        other.do("scan", "spend N03")
        shown[tuple(set(other.planet("P05")[1].split()) - {"R42"})] += 1
    # Three cards are unseen. R43 is one of them always, each of the other 13 with chance 2/13.
    chances: dict[World, Fraction] = {
        (card,): Fraction(1, 3) * (1 if card == "R43" else Fraction(2, 13)) for card in unknown
    }
    check_frequencies(shown, chances)


# --- hands ----------------------------------------------------------------------------------------


def board_with_hands(hands: Sequence[str], deck: str, **more: Any) -> Table:
    """All cards that are in no hand and not in the deck were discarded."""
    return table(
        len(hands), hands=hands, deck=deck, discard=all_but(" ".join((*hands, deck))), **more
    )


@pytest.mark.parametrize(
    ("hands", "deck", "count"),
    [
        (["N01 N02", "N03 N04 N05"], "N06 N07 N08", 20),
        (["N01 N02", "N03 N04"], "", 1),
        (["", "N03 N04", "N05 N06"], "N07 N08", 90),
        (["N48", "N03", "N05 N06 N09"], "N07", 20),
        (["N01", "N02", "N03", "N04", "N05"], "N06", 120),
    ],
)
def test_hands_and_deck(hands: list[str], deck: str, count: int) -> None:
    """§6 navigation hand, known to nobody: opponents' hands and the deck are exchanged."""
    board = board_with_hands(hands, deck)
    worlds = hand_worlds(board.session.to_json(), 0)
    assert len(worlds) == count
    check_frequencies(drawn(board, 0, 60 * count, hands_of(0)), uniform(worlds))


def test_the_hand_of_every_opponent_is_redrawn() -> None:
    """§6 navigation hand, known to nobody: of each opponent, the last one too, whoever looks."""
    board = board_with_hands(["N01", "N02", "N03"], "N04 N05 N06 N07 N08")
    for player in range(3):
        worlds = drawn(board, player, 30, lambda data: tuple(map(tuple, data["hands"])))
        for other in range(3):
            hands = {world[other] for world in worlds}
            assert (len(hands) > 1) == (other != player)


def test_what_is_drawn_next() -> None:
    """§6 known to nobody: after determinizing each unknown card is drawn alike."""
    board = board_with_hands(["N01 N02 N03 N04", "N05 N06"], "N07 N08")
    cards: Counter[World] = Counter()
    for seed in range(2_000):
        other = board.clone()
        other.session.determinize(0, seed)
        other.do("research", "discard nothing")
        cards[tuple(set(other.hand(0).split()) - {"N01", "N02", "N03", "N04"})] += 1
    check_frequencies(cards, uniform([(card,) for card in ("N05", "N06", "N07", "N08")]))


def test_groups_held_since_a_reshuffle() -> None:
    """§6 what a perfect memory knows: of each group which cards and how many each still has."""
    board = board_with_hands(
        ["N01 N02", "N03 N04 N05", "N06 N07 N08"],
        "N09 N10",
        held_since={"N01": 1, "N03": 1, "N04": 1, "N06": 1, "N07": 2},
    )
    # Group 1 without one's own N01: two of N03, N04, N06 with player 1. Group 2: only N07, player
    # 2. Drawn since then: N05, N08, N09 and N10; one each with player 1 and 2.
    worlds = [
        (frozenset({*pair, new}), frozenset({*({"N03", "N04", "N06"} - set(pair)), "N07", other}))
        for pair in combinations(("N03", "N04", "N06"), 2)
        for new in ("N05", "N08", "N09", "N10")
        for other in ("N05", "N08", "N09", "N10")
        if new != other
    ]
    assert len(worlds) == 36
    check_frequencies(drawn(board, 0, 4_000, hands_of(0)), uniform(worlds))


def test_groups_with_one_opponent_are_known() -> None:
    """§6 what a perfect memory knows: with two players who holds a card since a reshuffle."""
    board = board_with_hands(
        ["N01 N02", "N03 N04 N05"], "N09", held_since={"N01": 1, "N03": 1, "N04": 2}
    )
    worlds = [(frozenset({"N03", "N04", new}),) for new in ("N05", "N09")]
    check_frequencies(drawn(board, 0, 1_000, hands_of(0)), uniform(worlds))


def test_hands_and_hidden_resources_together() -> None:
    """§6: what is drawn for one hidden zone does not depend on the other; 120 worlds."""
    hands = ["N01", "N03 N04"]
    deck = "N05 N06 N07"
    board = two_players(
        "R43 R36",
        11,
        P05=(0, "R42"),
        hands=hands,
        deck=deck,
        discard=all_but(" ".join((*hands, deck))),
    )
    data = board.session.to_json()
    worlds = list(product(hidden_worlds(data, 0), hand_worlds(data, 0)))
    assert len(worlds) == 12 * 10
    counts = drawn(board, 0, 8_000, lambda data: (hidden_of(0)(data), hands_of(0)(data)))
    check_frequencies(counts, uniform(worlds))


def test_the_true_world_does_not_matter() -> None:
    """§6: from another world that the player cannot tell apart the same worlds come up."""
    for hands, deck in ((["N01", "N03 N04"], "N05 N06 N07"), (["N01", "N06 N05"], "N03 N04 N07")):
        board = board_with_hands(hands, deck)
        worlds = list(deals(frozenset({"N03", "N04", "N05", "N06", "N07"}), [2]))
        check_frequencies(drawn(board, 0, 1_000, hands_of(0)), uniform(worlds))


# --- announced actions ----------------------------------------------------------------------------

ANNOUNCED = [
    # What is announced, its further words, and the opponent's hands with which one would be asked:
    # at least two cards, or pairs of cards, fit. Unknown are N05 (jump 2, scan 1), N07 (jump 2,
    # scan 3), N01 (jump W, scan 1), N25 (scan 3, land 1), N20 (scan 1, land 4), N32 (scan 4,
    # land W).
    (
        "jump",
        {"action": "jump", "planet": "P04"},
        lambda hand: len(hand & {"N01", "N05", "N07"}) >= 2,
    ),
    ("scan", {"action": "scan"}, lambda hand: {"N07", "N25"} <= hand),
    ("claim", None, lambda hand: {"N20", "N25", "N32"} <= hand),
]


@pytest.mark.parametrize(("name", "pending", "fits"), ANNOUNCED, ids=("jump", "scan", "claim"))
def test_announced_actions_can_be_paid(
    name: str, pending: Data | None, fits: Callable[[Cards], bool]
) -> None:
    """§6: an opponent who has announced an action in the open and is asked how to pay can pay."""
    hands = {"jump": "N01 N05 N20", "scan": "N07 N25 N20", "claim": "N20 N25 N32"}
    unknown = ["N01", "N05", "N07", "N20", "N25", "N32"]
    hand = hands[name]
    deck = " ".join(card for card in unknown if card not in hand.split())
    board = board_with_hands(
        ["N48", hand],
        deck,
        turn=1,
        at="P05 P05",
        P05=(0 if name == "claim" else 1, "R14"),
        prompt="spend_pair" if name == "claim" else "spend",
        pending=pending,
    )
    assert len(board.legal) >= 2
    worlds = [world for world in hand_worlds(board.session.to_json(), 0) if fits(world[0])]
    check_frequencies(drawn(board, 0, 100 * len(worlds), hands_of(0)), uniform(worlds))


# --- the end --------------------------------------------------------------------------------------


def test_shown_resources_stay() -> None:
    """§12 8, 6 what is shown at the end: it stays, and is with nobody else."""
    board = black_hole_end()
    before = board.session.to_json()
    for player in range(3):
        counts = drawn(board, player, 300, lambda data: tuple(map(frozenset, data["hidden"])))
        for hidden in counts:
            assert [set(cards) for cards in hidden[:2]] == [{"R14", "R15"}, {"R18", "R19"}]
        # What player 2 discarded is not shown to the others.
        assert len({hidden[2] for hidden in counts}) > 100 or player == 2
        assert (len(counts) == 1) == (player == 2)
    assert board.session.to_json() == before


def test_discarded_hidden_resources_at_the_end() -> None:
    """§12 8, 6 what is shown at the end: discarded ones are any cards not seen by then."""
    board = black_hole_end()
    data = board.session.to_json()
    open_cards = {
        c for pile in (*data["face_up"], *data["collected"], *data["hidden"][:2]) for c in pile
    }
    unseen = sorted(c for c in ALL_RESOURCES - open_cards if resource_name(c) != "fame*")
    chances = uniform([(frozenset(pair),) for pair in combinations(unseen, 2)])
    count = 25 * len(chances)
    counts = drawn(board, 0, count, lambda data: (frozenset(data["hidden"][2]),))
    check_frequencies(counts, chances)


def test_all_hidden_resources_are_shown_below_the_limit() -> None:
    """§12 8, 6 what is shown at the end: everything if the Black Hole is not full."""
    board = table(
        hidden=["R14 R15", "R18 R19", "R22 R23"], options={"max_turns": 1}, actions_left=1
    )
    board.do("pass")
    for player in range(3):
        counts = drawn(board, player, 50, lambda data: tuple(map(frozenset, data["hidden"])))
        assert len(counts) == 1


# --- a perfect memory: exact chances --------------------------------------------------------------

Belief = dict[tuple[tuple[Cards, ...], Cards], Fraction]
"""Chance of each world (hands of all players, deck) by all that one player has seen."""


def believed_at_first(data: Data, player: int) -> Belief:
    worlds = hand_worlds(data, player)
    unknown = ALL_NAVIGATION - set(data["discard"]) - set(data["hands"][player])
    belief: Belief = {}
    for world in worlds:
        hands = list(world)
        hands.insert(player, frozenset(data["hands"][player]))
        deck = frozenset(unknown - set().union(*world))
        belief[tuple(hands), deck] = Fraction(1, len(worlds))
    return belief


def believed_after_spending(belief: Belief, player: int, cards: Cards) -> Belief:
    """A player spent these cards, each choice being alike likely to him."""
    kept: Belief = {}
    for (hands, deck), chance in belief.items():
        if cards <= hands[player]:
            after = (*hands[:player], hands[player] - cards, *hands[player + 1 :])
            kept[after, deck] = kept.get((after, deck), Fraction(0)) + chance
    total = sum(kept.values())
    return {world: chance / total for world, chance in kept.items()}


def believed_after_drawing(belief: Belief, player: int, count: int, discard: Cards) -> Belief:
    """A player drew unseen; an empty deck is made anew of the open discard pile."""
    after: Belief = {}
    for (hands, deck), chance in belief.items():
        surely = deck if len(deck) <= count else frozenset()
        source = discard if len(deck) <= count else deck
        draws = list(combinations(sorted(source), count - len(surely)))
        for draw in draws:
            hand = hands[player] | surely | set(draw)
            world = (*hands[:player], hand, *hands[player + 1 :]), source - set(draw)
            after[world] = after.get(world, Fraction(0)) + chance / len(draws)
    return after


@pytest.mark.parametrize("seed", range(4))
def test_a_history_with_a_reshuffle(seed: int) -> None:
    """§6 what a perfect memory knows: exact chances after a reshuffle and cards spent since."""
    rng = Random(seed)
    board = board_with_hands(
        ["N01 N02", "N03 N04", "N05"],
        "N06 N07",
        turn=1,
        at="P05 P05 P06",
        P05=(0, "R13 R14 R15 R18"),
        P06=(0, "R22 R23"),
        rng=random_word(seed),
    )
    board.session.determinize(0, seed)
    belief = believed_at_first(board.session.to_json(), 0)
    # Player 1 discards one of two cards and draws four: two of the deck, two after a reshuffle.
    card = rng.choice(board.hand(1).split())
    belief = believed_after_spending(belief, 1, frozenset({card}))
    belief = believed_after_drawing(belief, 1, 4, frozenset(board["discard"]) | {card})
    board.do("research", f"discard {card}")
    assert board["discard"] == []
    # Then player 1 pays any of the five cards for a harvest.
    card = rng.choice(board.hand(1).split())
    belief = believed_after_spending(belief, 1, frozenset({card}))
    board.do("harvest at P05", "take white gem", f"spend {card}")
    before = {"N03", "N04", "N05", "N06", "N07"}
    new = ALL_NAVIGATION - before - {"N01", "N02"}

    def who_has_the_old_ones(hands: Sequence[Cards]) -> World:
        return (frozenset(before & hands[1]), frozenset(before & hands[2]))

    def number_of_new_ones(hands: Sequence[Cards]) -> World:
        return (len(new & hands[1]), len(new & hands[2]))

    def the_new_ones(hands: Sequence[Cards]) -> World:
        return tuple(sorted(new & hands[1]))

    counts = drawn(board, 0, 20_000, lambda data: tuple(map(frozenset, data["hands"])))
    worlds = {hands: chance for (hands, _), chance in belief.items()}
    assert set(counts) <= set(worlds)
    for read in (who_has_the_old_ones, number_of_new_ones, the_new_ones):
        chances: dict[World, Fraction] = {}
        for hands, chance in worlds.items():
            chances[read(hands)] = chances.get(read(hands), Fraction(0)) + chance
        projected: Counter[World] = Counter()
        for hands, count in counts.items():
            projected[read(hands)] += count
        check_frequencies(projected, chances)


# --- a perfect memory: long games -----------------------------------------------------------------


@dataclass
class Bag:
    """Cards of which so many are with each player, and as many as are left over in the deck."""

    cards: set[str]
    counts: list[int]


@dataclass
class Memory:
    """What everybody can tell from what happens in the open, without looking at anybody's hand."""

    num_players: int
    deck_count: int
    bags: list[Bag] = field(default_factory=list)
    """The first holds the deck and what was drawn from it, the others closed at a reshuffle."""

    def take_from_hand(self, player: int, card: str) -> None:
        (bag,) = (bag for bag in self.bags if card in bag.cards)
        bag.cards.remove(card)
        bag.counts[player] -= 1

    def draw(self, player: int, count: int, discard: set[str]) -> None:
        for _ in range(count):
            if self.deck_count == 0:
                self.bags.insert(0, Bag(set(discard), [0] * self.num_players))
                self.deck_count = len(discard)
            self.bags[0].counts[player] += 1
            self.deck_count -= 1

    def agrees(self, data: Data) -> bool:
        """Whether a position is possible by this memory."""
        deck = set(data["deck"])
        for k, bag in enumerate(self.bags):
            if [len(bag.cards & set(hand)) for hand in data["hands"]] != bag.counts:
                return False
            if (bag.cards & deck) != (deck if k == 0 else set()):
                return False
        return True

    def world_count(self, data: Data, player: int) -> int:
        """Number of ways the closed bags can be with the opponents of a player."""
        count = 1
        for bag in self.bags[1:]:
            left = len(bag.cards - set(data["hands"][player]))
            for other in opponents(data, player):
                count *= comb(left, bag.counts[other])
                left -= bag.counts[other]
        return count

    def worlds(self, data: Data, player: int) -> list[World]:
        """All of these ways."""
        own = set(data["hands"][player])
        others = opponents(data, player)
        ways = [
            list(deals(frozenset(bag.cards - own), [bag.counts[other] for other in others]))
            for bag in self.bags[1:]
        ]
        return [tuple(way) for way in product(*ways)]

    def read(self, data: Data, player: int) -> World:
        others = opponents(data, player)
        hands = [set(data["hands"][other]) for other in others]
        return tuple(tuple(frozenset(bag.cards & hand) for hand in hands) for bag in self.bags[1:])


def remembered_game(
    num_players: int, rng: Random, **options: Any
) -> Iterator[tuple[Session, Memory]]:
    """A random game; the memory is told only actions and open facts of each step."""
    session = Session(GAME.ruleset(num_players, **options))
    session.reset(rng.getrandbits(64))
    memory = Memory(num_players, 48 - 5 * num_players)
    memory.bags.append(Bag(set(ALL_NAVIGATION), [5] * num_players))
    while not session.is_over:
        yield session, memory
        player = session.current_player
        discard, _, counts = open_facts(session)
        action = often_research(session, rng)
        text = session.action_to_string(action)
        session.step(action)
        after, deck_count, counts_after = open_facts(session)
        words = set(text.split()) & ALL_NAVIGATION
        gone = words if text.startswith("discard") else after - discard
        for card in gone:
            memory.take_from_hand(player, card)
        drawn_count = counts_after[player] - (counts[player] - len(gone))
        memory.draw(player, drawn_count, discard | gone)
        assert memory.deck_count == deck_count


def often_research(session: Session, rng: Random) -> int:
    """So that the deck runs out every few turns."""
    legal = session.legal_actions()
    research = GAME.actions.first("research")
    return research if research in legal and rng.random() < 0.6 else choose(legal, rng)


def open_facts(session: Session) -> tuple[set[str], int, list[int]]:
    """Discard pile, size of the deck, sizes of the hands, as everybody sees them."""
    view = session.to_json(0)
    counts = [seat["hand_count"] for seat in view["seats"]]
    return set(view["discard"]), view["deck_count"], counts


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_worlds_agree_with_a_perfect_memory(num_players: int) -> None:
    """§6 what a perfect memory knows: no drawn world contradicts it, and every world comes up."""
    rng = Random(num_players)
    checked, compared, most_bags = 0, 0, 0
    games = (remembered_game(num_players, rng, scan_cost="any_card") for _ in range(6))
    for step, (session, memory) in enumerate(pair for game in games for pair in game):
        assert memory.agrees(session.to_json())
        if step % 20:
            continue
        most_bags = max(most_bags, sum(bool(bag.cards) for bag in memory.bags))
        player = rng.randrange(num_players)
        board = Table(session)
        for data in some_worlds(session, player, 4, rng):
            assert memory.agrees(data)
            assert data["hands"][player] == session.to_json()["hands"][player]
            checked += 1
        if session.current_player != player and "spend" in session.to_json()["prompt"]:
            continue  # what was announced tells more than the memory keeps book of
        if 2 <= memory.world_count(session.to_json(), player) <= 30 and compared < 8:
            worlds = memory.worlds(session.to_json(), player)
            counts = drawn(board, player, 40 * len(worlds), partial(memory.read, player=player))
            check_frequencies(counts, uniform(worlds))
            compared += 1
    assert checked > 100
    assert most_bags >= (2 if num_players == 2 else 3)
    assert compared == (0 if num_players == 2 else 8)


def some_worlds(session: Session, player: int, count: int, rng: Random) -> Iterator[Data]:
    for _ in range(count):
        other = session.clone()
        other.determinize(player, rng.getrandbits(64))
        yield other.to_json()
