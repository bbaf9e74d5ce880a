"""The Stargate TCG twice at once: the environment and the slow reference play in step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest
from stargate_lockstep import Case, Seen, check_all_was_met, play

from stargate_env.components import load_cards
from stargate_env.decks import OFFICIAL_DECKS, Deck, official_deck, random_deck
from stargate_env.sizes import HERO, MAX_COPIES, NUM_SKILLS, VILLAIN

MORE_PLAYERS = (3, 4, 5, 6)
KINDS_OF_A_SIDE = 7  # three times so many are the 20 cards that a deck needs of each side
RARE_PROMPTS = {"boost"}  # a card that can boost several, see test_stargate_numbers_and_traits.py


def games_of(draw: Callable[[Random], Deck], name: str, num_players: int) -> Iterator[Case]:
    """Games without end, every deck drawn for itself."""
    rng = Random(name)
    while True:
        decks = tuple(draw(rng) for _ in range(num_players))
        yield Case(decks, rng.getrandbits(64))


def an_official_deck(rng: Random) -> Deck:
    return official_deck(rng.choice(OFFICIAL_DECKS))


def a_random_deck(rng: Random) -> Deck:
    """Cards of the whole pool; the sizes differ."""
    return random_deck(rng.getrandbits(32), size=rng.choice((40, 44, 50, 60, 80, 120)))


def a_deck_of_copies(rng: Random) -> Deck:
    """Few cards, each three times, so that texts meet their own copies."""
    deck = random_deck(rng.getrandbits(32), size=80)
    cards = load_cards().by_id
    missions = deck.missions[:: len(deck.missions) // NUM_SKILLS]
    titles = {cards[card_id].title for card_id in (*deck.team, *missions)}
    chosen: dict[int, list[str]] = {HERO: [], VILLAIN: []}
    for card_id in deck.deck:
        card = cards[card_id]
        if card.title not in titles and len(chosen[card.side]) < KINDS_OF_A_SIDE:
            titles.add(card.title)
            chosen[card.side].append(card_id)
    main = (*chosen[HERO], *chosen[VILLAIN])
    return replace(deck, missions=missions * MAX_COPIES, deck=main * MAX_COPIES)


def check_games(
    draw: Callable[[Random], Deck], name: str, num_players: int, decisions: int
) -> Seen:
    """Play games until so many decisions have been compared."""
    seen, cases = Seen(), games_of(draw, name, num_players)
    while seen.decisions < decisions:
        play(next(cases), seen)
    return seen


def test_official_decks() -> None:
    seen = check_games(an_official_deck, "official", 2, decisions=30_000)
    assert set(seen.winners) == {0, 1}


@pytest.mark.parametrize("part", range(4))
def test_random_decks(part: int) -> None:
    """§5 to §11 with every card of the pool."""
    seen = check_games(a_random_deck, f"random {part}", 2, decisions=40_000)
    check_all_was_met(seen, RARE_PROMPTS)


def test_decks_of_copies() -> None:
    check_games(a_deck_of_copies, "copies", 2, decisions=10_000)


@pytest.mark.parametrize("num_players", MORE_PLAYERS)
def test_more_players(num_players: int) -> None:
    """§12."""
    seen = check_games(a_random_deck, f"{num_players} players", num_players, decisions=5_000)
    assert set(seen.winners) <= set(range(num_players))


@pytest.mark.long
@pytest.mark.parametrize("part", range(40))
def test_many_random_decks(part: int) -> None:
    check_games(a_random_deck, f"many {part}", 2, decisions=45_000)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_many_decks_of_copies(part: int) -> None:
    check_games(a_deck_of_copies, f"many copies {part}", 2, decisions=45_000)


@pytest.mark.long
@pytest.mark.parametrize("num_players", MORE_PLAYERS)
def test_many_games_of_more_players(num_players: int) -> None:
    check_games(a_random_deck, f"many, {num_players} players", num_players, decisions=50_000)


def test_random_decks_are_drawn_from_the_whole_pool() -> None:
    rng = Random("pool")
    decks = [a_random_deck(rng) for _ in range(300)]
    met = {card for deck in decks for card in (*deck.team, *deck.missions, *deck.deck)}
    assert met == set(load_cards().by_id)
