"""Whole random games of the Stargate TCG: conservation, capacities, equal bytes."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core import config

from stargate_env import rules, stargate_v0
from stargate_env.components import load_cards
from stargate_env.decks import OFFICIAL_DECKS, check_deck, official_deck, random_deck
from stargate_env.derived import refresh
from stargate_env.legal import clear_scratch, legal_actions
from stargate_env.machine_part import blank_state
from stargate_env.ruleset import make_rules
from stargate_env.state import (
    ACTIONS,
    COMPLICATION,
    DECK,
    ERRORS,
    LASTS_MISSION,
    LASTS_TURN,
    LOOKED_AT,
    MIN_PLAYERS,
    MISSIONS,
    NO_CARD,
    NUM_ZONES,
    ORDERING,
    PROMPTS,
    RESOLVING,
    SEAT_STRIDE,
    STALE_NUMBERS,
    STATE,
    STATE_6,
    _scratch_fields,
)
from tabletop_core.game import allocate
from tabletop_core.rng import seed_to_word

POOL = load_cards()
MAX_DECISIONS = 20_000


def play(decks, seed):
    """The states of one random game, from its first decision on."""
    record, _ = make_rules(decks)
    r, states = record[0], allocate(STATE if len(decks) == MIN_PLAYERS else STATE_6, 1)
    s = states[0]
    s.rng = seed_to_word(seed)
    rules.new_game(r, s)
    random = np.random.default_rng(seed)
    for _ in range(MAX_DECISIONS):
        yield s
        if s.end_reasons or s.is_truncated:
            assert ERRORS[s.error] == ""
            return
        legal_actions(r, s)
        words = s.legal.copy()
        legal = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
        assert legal.size and legal[-1] < ACTIONS.count, PROMPTS[s.prompt]
        rules.apply_action(r, s, int(legal[random.integers(legal.size)]))
    raise AssertionError("the game does not end")


def test_derived_numbers_are_those_computed_anew():
    """§16.1: a number is out of date only if it is marked so; after a decision none is."""
    for seed in range(6):
        decks = [random_deck(2 * seed + player) for player in range(MIN_PLAYERS)]
        record, _ = make_rules(decks)
        anew = allocate(STATE, 1)
        for s in play(decks, seed):
            anew[0] = s
            assert s.is_stale == 0
            anew[0].is_stale = STALE_NUMBERS
            for name in ("changes", "raw", "rated", "blocked", "holders"):
                anew[name] = 1
            anew["changed"] = ~np.uint64(0)
            refresh(record[0], anew[0])
            clear_scratch(anew[0])
            assert anew.tobytes() == s.tobytes()


LISTS = ("modifier", "mark", "standing", "frame", "pending", "complication")


def test_what_is_not_in_use_is_blank():
    """§16.1: scratch is empty between decisions, and so are lists behind their ends."""
    blank = blank_state(STATE)[0]
    scratch = [name for name, *_ in _scratch_fields(MIN_PLAYERS)]
    used = dict.fromkeys(LISTS, 0)
    for seed in range(3):
        decks = [random_deck(3 * seed + player) for player in range(MIN_PLAYERS)]
        for s in play(decks, seed):
            assert not any(np.any(s[name]) for name in scratch)
            for kind in LISTS:
                count = int(s[f"{kind}_count"])
                used[kind] = max(used[kind], count)
                for name in names_of_list(kind):
                    assert (s[name][count:] == blank[name][count:]).all(), name
            free = s.delay_moment == 0
            for name in names_of_list("delay"):
                assert (s[name][free] == blank[name][free]).all(), name
    assert all(used.values()), used


def test_nothing_outlasts_its_time():
    """§7: with the mission and with the turn ends what was made to last as long."""
    ended = set()
    for seed in range(4):
        decks = [random_deck(5 * seed + player) for player in range(MIN_PLAYERS)]
        before = allocate(STATE, 1)
        for s in play(decks, seed):
            old = before[0]
            for lasts, is_over in (
                (LASTS_MISSION, old.current not in (NO_CARD, s.current)),
                (LASTS_TURN, old.turn_count != s.turn_count),
            ):
                if is_over:
                    kept = lasting(old, lasts) & lasting(s, lasts)
                    assert not kept, kept
                    ended |= {(kind, lasts) for kind, *_ in lasting(old, lasts)}
            if old.turn_count != s.turn_count:
                assert not (old.played_turn & s.played_turn).any()
            before[0] = s
    assert len(ended) >= 3, ended


def lasting(s, lasts):
    """What lasts so long: changes, rules and delayed effects, without their places."""
    found = [
        ("modifier", *(int(s[f"modifier_{name}"][k]) for name in ("verb", "card", "source")))
        for k in range(s.modifier_count)
        if s.modifier_lasts[k] == lasts
    ]
    found += [
        ("standing", int(s.standing_self[k]), int(s.standing_address[k]))
        for k in range(s.standing_count)
        if s.standing_lasts[k] == lasts
    ]
    found += [
        ("delay", int(s.delay_self[k]), int(s.delay_address[k]))
        for k in np.flatnonzero(s.delay_moment)
        if s.delay_lasts[k] == lasts
    ]
    return set(found)


def names_of_list(kind):
    if kind == "complication":
        return ["complications"]
    lengths = (f"{kind}_count",)
    return [name for name in STATE.names if name.startswith(f"{kind}_") and name not in lengths]


def official(*names):
    return [official_deck(name) for name in names]


def members_of(s, zone):
    cards = set()
    for k in range(len(s.hero_side)):
        word = int(s.zones[zone, k])
        cards |= {k * 64 + bit for bit in range(64) if word >> bit & 1}
    return cards


def check_state(s, card_count):
    """Every card is in one place, and what is kept twice agrees."""
    zones = [members_of(s, zone) for zone in range(NUM_ZONES)]
    assert sum(len(cards) for cards in zones) == card_count
    assert all(s.zone[card] == zone for zone in range(NUM_ZONES) for card in zones[zone])
    for seat in range(s.num_players):
        deck = {seat * SEAT_STRIDE + int(k) for k in s.deck[seat][: s.deck_size[seat]]}
        assert deck == {card for card in zones[DECK] if card // SEAT_STRIDE == seat}
        pile = {seat * SEAT_STRIDE + int(k) for k in s.missions[seat][: s.missions_size[seat]]}
        assert pile == {card for card in zones[MISSIONS] if card // SEAT_STRIDE == seat}
        assert s.power[seat] >= 0
    listed = {int(card) for card in s.complications[: s.complication_count]}
    assert listed == zones[COMPLICATION]
    if PROMPTS[s.prompt] == "main":
        assert not zones[LOOKED_AT] | zones[ORDERING] | zones[RESOLVING]
        assert s.frame_count == s.pending_count == 0
    assert not s.sets.any() and not s.stack.any() and not s.reserved.any()


def test_official_games_conserve_all_cards():
    for s in play(official("carter", "tealc"), 1):
        check_state(s, 120)


def test_every_official_deck_plays_to_the_end():
    for seed, name in enumerate(OFFICIAL_DECKS):
        *_, s = play(official(name, OFFICIAL_DECKS[seed - 1]), seed)
        check_state(s, 120)
        assert s.end_reasons and s.winner in (0, 1)


@pytest.mark.parametrize("seed", range(8))
def test_random_decks_of_the_pool_end_without_a_capacity_hit(seed):
    decks = [random_deck(2 * seed + k, POOL, size=40 + 10 * seed) for k in (0, 1)]
    assert all(check_deck(deck) == () for deck in decks)
    for s in play(decks, seed):
        check_state(s, sum(16 + len(deck.deck) for deck in decks))


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_many_games_of_random_decks_end_without_a_capacity_hit(part):
    """100,000 games in all: no room runs out, all games end, no position is impossible."""
    num_players = 2 if part < 16 else part - 13
    lists = [
        tuple(random_deck(1000 * part + 20 * k + j, POOL, size=40 + 4 * j) for j in range(20))
        for k in range(num_players)
    ]
    vec = stargate_v0.make_vec(100, num_players=num_players, decks=lists)
    vec.reset(seed=part)
    num_games = longest = 0
    while num_games < 5_000:
        played = vec.rollout(200)
        num_games += played.num_games
        for s in vec.states[::20]:
            longest = max(longest, int(s.decision_count))
            lengths = vec.ruleset.record[0].deck_length[s.deck_number[:num_players]]
            check_state(s, int(lengths.sum()))
    assert longest < 20_000


def digest_of_games(seeds):
    """One number for all bytes of some games."""
    digest = hashlib.blake2b(digest_size=16)
    for seed in seeds:
        for s in play(official("carter", "tealc"), seed):
            digest.update(s.tobytes())
    return digest.hexdigest()


def test_equal_seeds_play_equal_games():
    assert digest_of_games([4]) == digest_of_games([4]) != digest_of_games([5])


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="this process is interpreted")
def test_interpreted_games_have_the_same_bytes():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    code = "import test_stargate_games as t; print(t.digest_of_games([6]))"
    result = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        env=environment,
        cwd=os.path.dirname(__file__),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == digest_of_games([6])
