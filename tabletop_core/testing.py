"""Conformance suite: what every game on this core must do, for games of your own too.

    from tabletop_core.testing import Oracles, check_game
    check_game(my_game.GAME.ruleset(3), num_games=20, oracles=Oracles(conserved=all_cards))

Every check plays random games and raises an AssertionError that begins with its name and the game,
and says at which seed and decision. Checks of single positions (`POSITION_CHECKS`) can be run
for as many positions as wanted (`check_positions`); the others are functions of a ruleset. In a
shell, `python -m tabletop_core.testing GAME SEED ...` prints a hash of a game for each seed, the
same one with and without `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from . import engine
from .errors import TabletopError
from .game import Game, Json, Ruleset, allocate, find_game
from .rng import SEED_LIMIT, seeds_to_words
from .session import TRUNCATED, Session

PositionCheck = Callable[[Session, random.Random], None]
"""(session, generator for samples) -> None; raises AssertionError, leaves the session unchanged."""

RARE: Final = 10  # slow checks look at one position in so many
ODD_VALUES: Final[tuple[Any, ...]] = (None, -1, 1 << 70, 0.5, "nonsense", [], [[]], {}, True)
ALTERED_KEYS: Final = 3  # keys of a position in words that a check alters
ILLEGAL_SHARE: Final = 0.1  # of the actions of the batch check
PICKLED: Final = "-"  # name of a game on the command line: a pickled ruleset on standard input


@dataclass(frozen=True)
class Oracles:
    """What a game may say in plain Python about itself; the checks need not trust its kernels then.

    Both take the ruleset and a position as `Session.to_json()` writes it.
    """

    conserved: Callable[[Ruleset, Json], object] | None = None
    """A value that no action and no redrawing changes, for example all cards, sorted."""
    legal_actions: Callable[[Ruleset, Json], Collection[str]] | None = None
    """The legal actions in words, by the rules alone. Without it, a legal set that is too small is
    not seen, and one that is too large only if its actions lead to something impossible."""
    has_hidden: bool = True
    """Whether there is anything that a player cannot know, the generator aside."""
    has_chance: bool = True
    """Whether anything is drawn at random, so that games of different seeds begin differently."""


def check_game(
    ruleset: Ruleset,
    num_games: int = 10,
    seed: int = 0,
    oracles: Oracles | None = None,
    interpreted_games: int = 1,
) -> None:
    """All checks on `num_games` random games, and smaller samples for the slow ones.

    Args:
        ruleset: the game, its options and number of players.
        num_games: how many whole games the quick checks look at.
        seed: of the first game; the others follow.
        oracles: what the game says about itself.
        interpreted_games: how many games a process without compilation plays, which is slow.

    Raises:
        AssertionError: the game fails a check; the message begins with the name of the check.
    """
    told = oracles or Oracles()
    check_positions(ruleset, QUICK_CHECKS, num_games=num_games, seed=seed)
    check_determinism(ruleset, max(1, num_games // 2), seed, told.has_chance)
    check_positions(ruleset, SLOW_CHECKS, num_games=num_games, seed=seed, every=RARE)
    check_oracles(ruleset, told, num_games, seed)
    check_batch(ruleset, seed=seed)
    check_play_games(ruleset, num_games, seed)
    if interpreted_games:
        check_interpreted(ruleset, range(seed, seed + interpreted_games))


# --- random positions ------------------------------------------------------------------------


@dataclass
class Walk:
    """Random games one after the other, as positions of one session, ends included."""

    ruleset: Ruleset
    seed: int

    def __post_init__(self) -> None:
        self.session = Session(self.ruleset)
        self.rng = random.Random(self.seed)
        self.num_games = 0
        self.num_decisions = 0

    def positions(self) -> Iterator[Session]:
        """The session before each decision and at each end, for ever."""
        for number in itertools.count(self.seed):
            self.num_decisions = 0
            self.session.reset(number % SEED_LIMIT)
            yield self.session
            while not self.session.is_over:
                require(bool(self.session.legal_actions()), "no action is legal before the end")
                self.session.step(self.rng.choice(self.session.legal_actions()))
                self.num_decisions += 1
                yield self.session
            self.num_games += 1

    def where(self) -> str:
        """The present position for messages."""
        game = f"seed {(self.seed + self.num_games) % SEED_LIMIT}, walk from seed {self.seed}"
        return f"{describe(self.ruleset)}, {game}, decision {self.num_decisions}"


def check_positions(
    ruleset: Ruleset,
    checks: Sequence[PositionCheck],
    *,
    num_positions: int | None = None,
    num_games: int | None = None,
    seed: int = 0,
    every: int = 1,
) -> int:
    """Run checks on every `every`-th position of random games; how many positions were checked.

    Ends after `num_positions` checked positions or `num_games` games, whichever comes first.
    Starts and ends of games are always checked.
    """
    if num_positions is None and num_games is None:
        raise TabletopError("check_positions needs num_positions or num_games")
    walk = Walk(ruleset, seed)
    checked = 0
    for session in walk.positions():
        if session.is_over or walk.num_decisions % every == 0:
            for check in checks:
                _run_check(check, session, walk)
            checked += 1
        is_last_game = session.is_over and walk.num_games + 1 == num_games
        if is_last_game or checked == num_positions:
            break
    return checked


def _run_check(check: PositionCheck, session: Session, walk: Walk) -> None:
    before = session.serialize()
    try:
        check(session, random.Random(f"{walk.seed}/{walk.num_games}/{walk.num_decisions}"))
        require(session.serialize() == before, "looking at the position has changed it")
    except AssertionError as error:
        raise AssertionError(f"{_name(check)}: {walk.where()}: {error}") from error
    except TabletopError as error:
        message = f"{_name(check)}: {walk.where()}: unexpected error: {error}"
        raise AssertionError(message) from error


def _name(check: Callable[..., Any]) -> str:
    return getattr(check, "__name__", type(check).__name__)


def describe(ruleset: Ruleset) -> str:
    """A ruleset for messages."""
    return f"{ruleset.game.id} with {ruleset.num_players} players"


def require(condition: bool, message: str) -> None:
    """Raise an AssertionError with `message` unless `condition` holds."""
    if not condition:
        raise AssertionError(message)


def require_equal(found: object, expected: object, what: str) -> None:
    """Raise an AssertionError that shows both values unless they are equal."""
    if found != expected:
        raise AssertionError(f"{what}: {_short(found)}, expected {_short(expected)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]}..."


# --- checks of one position ------------------------------------------------------------------


def check_header(session: Session, rng: random.Random) -> None:
    """The fields that the core shares with every game make sense together."""
    s, game = session.state[0], session.game
    require(int(s.rng) != 0, "the generator's word is 0")
    require_equal(int(s.ruleset), session.ruleset.digest, "digest of the ruleset in the state")
    require_equal(int(s[f"{game.name}_version"]), game.version, f"field {game.name}_version")
    require(session.current_player < session.num_players, "current_player is no player")
    require(not (session.terminated and session.truncated), "both terminated and truncated")
    require(int(s.end_reasons) < 1 << len(game.end_reasons), "an end reason has no name")
    actions = session.legal_actions()
    if session.is_over:
        require(not actions, "actions are legal after the end")
        require_equal(int(s.must_ask), 0, "must_ask after the end")
    else:
        require(bool(actions), "no action is legal before the end")
        require(len(actions) > 1 or bool(s.must_ask), "a forced decision was put to a player")


def check_mask(session: Session, rng: random.Random) -> None:
    """Masks are the legal set of the player to move, and nothing for the others."""
    num_actions = session.game.actions.count
    words = session.state[0].legal
    members = [
        k * 64 + bit for k, word in enumerate(words) for bit in range(64) if int(word) >> bit & 1
    ]
    require(all(action < num_actions for action in members), "a legal action is no action")
    require_equal(session.legal_actions(), members, "legal actions are not those of the state")
    for player in range(session.num_players):
        mask = session.legal_action_mask(player)
        require_equal((mask.dtype, mask.shape), (np.dtype(np.int8), (num_actions,)), "mask")
        legal = members if player == session.current_player else []
        require_equal(np.flatnonzero(mask).tolist(), legal, f"mask of player {player}")
        mask[:] = 7
    require_equal(session.legal_actions(), members, "masks share memory: legal actions")


def check_every_action(session: Session, rng: random.Random) -> None:
    """Trying every action of the space: exactly the legal ones are accepted."""
    legal = set(session.legal_actions())
    before = session.serialize()
    refusing = session.clone()
    for action in range(session.game.actions.count):
        trial = session.clone() if action in legal else refusing
        require_equal(session.is_legal(action), action in legal, f"is_legal({action})")
        try:
            trial.step(action)
        except TabletopError as error:
            words = session.action_to_string(action)
            require(action not in legal, f"legal action {words!r} was refused: {error}")
            require(trial.serialize() == before, f"refusing {words!r} has changed the state")
        else:
            require(action in legal, f"illegal action {action} was accepted")
            check_header(trial, rng)
    require(session.serialize() == before, "playing on a clone has changed the original")


def check_words(session: Session, rng: random.Random) -> None:
    """Every action has a text that leads back to it, legal ones a text of their own."""
    texts = {}
    for action in range(session.game.actions.count):
        text = session.action_to_string(action)
        require(bool(text) and isinstance(text, str), f"action {action} has no text: {text!r}")
        texts[action] = text
    legal = _legal_texts(session)
    for text in legal:
        require(legal.count(text) == 1, f"several legal actions are called {text!r}")
    for action, text in texts.items():
        found = session.string_to_action(text)
        require_equal(found, action, f"string_to_action({text!r})")
    for text in ("", "no such action", *(legal[:1] and [legal[0] + "?"])):
        _require_refused(lambda: session.string_to_action(text), f"string_to_action({text!r})")  # noqa: B023


def check_copies(session: Session, rng: random.Random) -> None:
    """Clones, bytes and JSON lead back to the very same position, and copies are independent."""
    before = session.serialize()
    clone = session.clone()
    require(clone.serialize() == before, "a clone has other bytes")
    if not session.is_over:
        clone.step(rng.choice(session.legal_actions()))
        require(session.serialize() == before, "playing on a clone has changed the original")
        require(clone.serialize() != before, "an action has changed nothing in the state")
    clone.restore(session)
    _require_same(clone, session, "restore")
    words = session.to_json()
    text = json.dumps(words)
    require(json.loads(text) == words, "to_json() is not made of JSON types alone")
    other = Session(session.ruleset)
    other.from_json(json.loads(text))
    _require_same(other, session, "from_json(to_json())")
    other = Session(session.ruleset)
    other.deserialize(before)
    _require_same(other, session, "deserialize")


def check_pickle(session: Session, rng: random.Random) -> None:
    """Pickling and deep copies keep the position."""
    _require_same(pickle.loads(pickle.dumps(session)), session, "pickle")
    _require_same(copy.deepcopy(session), session, "deepcopy")


def check_decode(session: Session, rng: random.Random) -> None:
    """What a player (any one) sees says the same as the player's view in words."""
    player = rng.randrange(session.num_players)
    decoded = session.game.decode(session.ruleset, session.observe(player))
    require_equal(decoded, session.to_json(player), f"decode(observe({player})) and the view")


def check_observation(session: Session, rng: random.Random) -> None:
    """Every player sees, at every moment, what fits the layout and the player's view."""
    high = session.game.observation.high()
    for player in range(session.num_players):
        seen = session.observe(player)
        require_equal((seen.dtype, seen.shape), (np.dtype(np.uint8), high.shape), "observation")
        too_high = np.flatnonzero(seen > high).tolist()
        require(not too_high, f"player {player}: observation exceeds the layout at {too_high[:5]}")
        view = session.to_json(player)
        require(json.loads(json.dumps(view)) == view, "the view is not made of JSON types alone")
        decoded = session.game.decode(session.ruleset, seen.copy())
        require_equal(decoded, view, f"decode(observe({player})) and the view")
        again = session.observe(player)
        require(not np.shares_memory(seen, again), "observations share memory")
        require(bool((seen == again).all()), "observing twice gives different observations")
    current = session.observe(session.current_player)
    require(bool((session.observation == current).all()), "the buffer is not the current player's")


def check_determinize(session: Session, rng: random.Random) -> None:
    """Redrawing what a player cannot know changes nothing that the player sees."""
    for player in range(session.num_players):
        seed = rng.randrange(SEED_LIMIT)
        redrawn = session.clone()
        redrawn.determinize(player, seed)
        _require_same_view(redrawn, session, player)
        _require_sound(redrawn)
        again = session.clone()
        again.determinize(player, seed)
        require(again.serialize() == redrawn.serialize(), "determinize is not fixed by its seed")
        again.determinize(player, (seed + 1) % SEED_LIMIT)
        words = {int(game.state[0].rng) for game in (session, redrawn, again)}
        require(len(words) == 3, "determinize does not change the random generator")


def _require_same_view(redrawn: Session, session: Session, player: int) -> None:
    who = f"after determinize({player})"
    changed = np.flatnonzero(redrawn.observe(player) != session.observe(player)).tolist()
    require(not changed, f"{who} the player's observation is another at {changed[:5]}")
    require_equal(redrawn.to_json(player), session.to_json(player), f"{who} the player's view")
    require(redrawn.render(player) == session.render(player), f"{who} the picture is another")
    require_equal(redrawn.current_player, session.current_player, f"{who} current_player")
    require_equal(redrawn.is_over, session.is_over, f"{who} is_over")
    if player == session.current_player:
        require_equal(redrawn.legal_actions(), session.legal_actions(), f"{who} legal actions")
        found, expected = map(_legal_texts, (redrawn, session))
        require_equal(found, expected, f"{who} the texts of the legal actions")


def _legal_texts(session: Session) -> list[str]:
    return [session.action_to_string(action) for action in session.legal_actions()]


def _require_sound(session: Session) -> None:
    """The position is a possible one and its legal set is up to date."""
    other = Session(session.ruleset)
    try:
        other.from_json(session.to_json())
    except TabletopError as error:
        raise AssertionError(f"determinize leads to an impossible position: {error}") from error
    require_equal(session.legal_actions(), other.legal_actions(), "legal actions after determinize")
    _require_same(session, other, "determinize, to_json and back")


def check_rule(session: Session, rng: random.Random) -> None:
    """The rule-based bot plays what is legal, writes nothing and knows only what its player knows.

    With the same generator it plays the same action, whatever the player cannot know.
    """
    if session.is_over or session.game.kernels.action_worth is None:
        return
    word = rng.randrange(1, SEED_LIMIT)
    before = session.serialize()
    action = _rule_action(session, word)
    require(session.serialize() == before, "the rule has changed the position")
    require(action in session.legal_actions(), f"the rule plays {action}, which is not legal")
    require_equal(_rule_action(session, word), action, "the rule, asked again")
    redrawn = session.clone()
    redrawn.determinize(session.current_player, rng.randrange(SEED_LIMIT))
    require_equal(_rule_action(redrawn, word), action, "the rule, with other hidden things")


def _rule_action(session: Session, chooser_word: int) -> int:
    choosers = allocate(engine.CHOOSER, 1)
    choosers["rng"] = chooser_word
    return int(engine.rule_one(session.ruleset.record, session.state, choosers))


def check_rewards(session: Session, rng: random.Random) -> None:
    """Rewards are paid at the end, by the winners and points that the result names."""
    if not session.is_over:
        require_equal(session.rewards(), [0.0] * session.num_players, "rewards before the end")
        _require_refused(session.result, "result() before the end")
        return
    _require_refused(lambda: session.step(0), "step() after the end")
    result = session.result()
    require(json.loads(json.dumps(result)) == result, "the result is not made of JSON types alone")
    require_equal(result["reason"], _reason(session), "reason of the end")
    require_equal(result["length"], int(session.state[0].decision_count), "length")
    require(all(np.isfinite(result["scores"])), "a score is no finite number")
    for mode in engine.REWARD_MODES:
        rewards = _rewards(session, mode)
        require(all(type(reward) is float for reward in rewards), "rewards are not Python floats")
        expected = expected_rewards(mode, result["scores"], result["winners"])
        require(bool(np.allclose(rewards, expected)), f"{mode} rewards {rewards}, not {expected}")
        if mode == "win":
            require(abs(sum(rewards)) < 1e-9, f"win rewards do not sum to 0: {rewards}")


def expected_rewards(mode: str, scores: Sequence[float], winners: Sequence[int]) -> list[float]:
    """Final rewards by their definition, from scores and winners (players)."""
    players = range(len(scores))
    if mode == "score":
        return list(scores)
    if mode == "margin":
        return [scores[p] - max(scores[other] for other in players if other != p) for p in players]
    losers = len(scores) - len(winners)
    if not winners or not losers:
        return [0.0 for _ in players]
    return [losers / len(winners) if player in winners else -1.0 for player in players]


def _rewards(session: Session, mode: str) -> list[float]:
    other = Session(session.ruleset, mode)
    other.restore(session)
    return other.rewards()


def _reason(session: Session) -> str:
    bits = int(session.state[0].end_reasons)
    names = [name for k, name in enumerate(session.game.end_reasons) if bits >> k & 1]
    return "+".join(names) or TRUNCATED


def check_render(session: Session, rng: random.Random) -> None:
    """The table can be drawn for everybody and openly."""
    for player in (None, *range(session.num_players)):
        picture = session.render(player)
        require(isinstance(picture, str) and bool(picture), f"render({player}) is {picture!r}")


def check_bad_json(session: Session, rng: random.Random) -> None:
    """Positions in words with a missing, odd or additional part are refused or read as they are."""
    words = session.to_json()
    for key in rng.sample(list(words), min(ALTERED_KEYS, len(words))):
        _require_read_or_refused(session, {k: v for k, v in words.items() if k != key}, f"no {key}")
        for value in (rng.choice(ODD_VALUES), words[rng.choice(list(words))]):
            _require_read_or_refused(session, words | {key: value}, f"{key}: {_short(value)}")
    odd = rng.choice(ODD_VALUES)
    _require_read_or_refused(session, odd, repr(odd))
    _require_read_or_refused(session, words | {"no such key": odd}, "an additional key")


def _require_read_or_refused(session: Session, data: Any, what: str) -> None:
    reader = session.clone()
    before = reader.serialize()
    try:
        reader.from_json(data)
    except TabletopError:
        require(reader.serialize() == before, f"refused JSON ({what}) has changed the state")
        return
    except Exception as error:
        raise AssertionError(f"from_json ({what}) raised {error!r}, no TabletopError") from error
    check_header(reader, random.Random(0))
    again = Session(session.ruleset)
    again.from_json(reader.to_json())
    require(again.serialize() == reader.serialize(), f"accepted JSON ({what}) is not read back")


def check_bad_bytes(session: Session, rng: random.Random) -> None:
    """Damaged bytes are refused or are a possible position; nothing else happens."""
    good = session.serialize()
    for bad in _damaged(good, rng):
        reader = session.clone()
        try:
            reader.deserialize(bad)
        except TabletopError:
            require(reader.serialize() == good, "refused bytes have changed the state")
        except Exception as error:
            raise AssertionError(f"damaged bytes raised {error!r}, no TabletopError") from error
        else:
            require(reader.serialize() == bad, "damaged bytes were read as something else")
            check_header(reader, rng)


def _damaged(good: bytes, rng: random.Random) -> list[bytes]:
    flipped = []
    for _ in range(8):
        bit = rng.randrange(8 * len(good))
        content = bytearray(good)
        content[bit // 8] ^= 1 << bit % 8
        flipped.append(bytes(content))
    cut = rng.randrange(len(good))
    return [*flipped, good[:cut], good + b"\0", rng.randbytes(len(good))]


def _require_refused(call: Callable[[], object], what: str) -> None:
    try:
        call()
    except TabletopError:
        return
    raise AssertionError(f"{what} raised no TabletopError")


def _require_same(found: Session, expected: Session, what: str) -> None:
    """Same bytes, same buffers and same legal actions."""
    require(found.serialize() == expected.serialize(), f"{what} leads to another state")
    require(bool((found.observation == expected.observation).all()), f"{what}: other observation")
    require_equal(found.legal_actions(), expected.legal_actions(), f"{what}: legal actions")


QUICK_CHECKS: Final[tuple[PositionCheck, ...]] = (
    check_header,
    check_mask,
    check_decode,
    check_rewards,
)
SLOW_CHECKS: Final[tuple[PositionCheck, ...]] = (
    check_every_action,
    check_words,
    check_copies,
    check_observation,
    check_determinize,
    check_rule,
    check_render,
    check_bad_json,
    check_bad_bytes,
    check_pickle,
)
POSITION_CHECKS: Final = QUICK_CHECKS + SLOW_CHECKS


# --- checks against what the game says about itself --------------------------------------------


def check_oracles(ruleset: Ruleset, oracles: Oracles, num_games: int = 10, seed: int = 0) -> None:
    """Legal actions are those of the rules, nothing gets lost, and hidden things are redrawn."""
    redrawing = _Redrawing()
    checks: list[PositionCheck] = [redrawing]
    if oracles.legal_actions is not None:
        checks.append(_LegalActions(oracles.legal_actions))
    check_positions(ruleset, checks, num_games=num_games, seed=seed)
    if oracles.conserved is not None:
        slow = [_Conservation(oracles.conserved)]
        check_positions(ruleset, slow, num_games=num_games, seed=seed, every=RARE)
    message = f"check_redrawing: {describe(ruleset)}: determinize has never "
    if oracles.has_hidden:
        require(redrawing.has_changed, message + "changed anything but the generator")
    else:
        require(not redrawing.has_changed, message[:-6] + "changed what nobody hides")


@dataclass(frozen=True)
class _LegalActions:
    """The legal set is what the rules in plain Python allow."""

    oracle: Callable[[Ruleset, Json], Collection[str]]
    __name__ = "check_legal_actions"

    def __call__(self, session: Session, rng: random.Random) -> None:
        expected = set()
        if not session.is_over:
            expected = set(self.oracle(session.ruleset, session.to_json()))
        found = set(_legal_texts(session))
        require(not found - expected, f"legal against the rules: {sorted(found - expected)}")
        require(not expected - found, f"illegal against the rules: {sorted(expected - found)}")


@dataclass(frozen=True)
class _Conservation:
    """Neither actions nor redrawing change what is conserved."""

    oracle: Callable[[Ruleset, Json], object]
    __name__ = "check_conservation"

    def __call__(self, session: Session, rng: random.Random) -> None:
        expected = self.oracle(session.ruleset, session.to_json())
        for action in session.legal_actions():
            other = session.clone()
            other.step(action)
            found = self.oracle(session.ruleset, other.to_json())
            require_equal(found, expected, f"conserved after {session.action_to_string(action)!r}")
        for player in range(session.num_players):
            other = session.clone()
            other.determinize(player, rng.randrange(SEED_LIMIT))
            found = self.oracle(session.ruleset, other.to_json())
            require_equal(found, expected, f"conserved after determinize({player})")


class _Redrawing:
    """Remembers whether redrawing has changed more than the generator."""

    __name__ = "check_redrawing"

    def __init__(self) -> None:
        self.has_changed = False

    def __call__(self, session: Session, rng: random.Random) -> None:
        if not self.has_changed:
            other = session.clone()
            other.determinize(rng.randrange(session.num_players), rng.randrange(SEED_LIMIT))
            other.state[0].rng = session.state[0].rng
            self.has_changed = other.serialize() != session.serialize()


# --- checks of whole games -------------------------------------------------------------------


def check_determinism(
    ruleset: Ruleset, num_games: int = 5, seed: int = 0, has_chance: bool = True
) -> None:
    """The same seed gives the same bytes, whatever was played before; `reset()` goes on with it.

    has_chance: see `Oracles`.
    """
    used = Session(ruleset)
    used.reset()
    starts = []
    for number in range(seed, seed + num_games):
        where = f"check_determinism: {describe(ruleset)}, seed {number % SEED_LIMIT}"
        fresh = Session(ruleset)
        for next_seed in (number % SEED_LIMIT, None):  # the second game goes on with the generator
            for session in (used, fresh):
                session.reset(next_seed)
            starts.append(fresh.serialize())
            is_new = starts.count(starts[-1]) == 1
            require(is_new or not has_chance, f"{where}: reset({next_seed}) repeats a game")
            _require_same_game(used, fresh, random.Random(number), where)


def _require_same_game(first: Session, second: Session, rng: random.Random, where: str) -> None:
    for decision in itertools.count():
        same = first.serialize() == second.serialize()
        require(same, f"{where}: the same seed gives other bytes at decision {decision}")
        if first.is_over:
            return
        require(bool(first.legal_actions()), f"{where}: no action is legal before the end")
        action = rng.choice(first.legal_actions())
        first.step(action)
        second.step(action)


def check_batch(ruleset: Ruleset, num_lanes: int = 6, num_steps: int = 300, seed: int = 0) -> None:
    """A batch gives what as many single games give, with every autoreset mode and reward."""
    modes = itertools.zip_longest(
        (engine.AUTORESET_NEXT_STEP, engine.AUTORESET_SAME_STEP, engine.AUTORESET_DISABLED),
        engine.REWARD_MODES,
    )
    for autoreset, reward in modes:
        batch = _Batch(ruleset, num_lanes, autoreset, reward, seed)
        rng = random.Random(seed)
        batch.compare()
        for _ in range(num_steps):
            batch.step(rng)
            batch.compare()


class _Batch:
    """A batch of the engine, and beside it single games that are handled as the batch should."""

    def __init__(
        self, ruleset: Ruleset, num_lanes: int, autoreset: int, reward: str, seed: int
    ) -> None:
        game = ruleset.game
        shape = (num_lanes, ruleset.num_players)
        self.ruleset = ruleset
        self.autoreset = autoreset
        self.modes = np.array([autoreset, engine.REWARD_MODES.index(reward)])
        self.states = allocate(game.state_dtype, num_lanes)
        self.lanes = allocate(engine.LANE, num_lanes)
        self.actions = np.zeros(num_lanes, np.int64)
        self.flags = np.zeros((engine.NUM_FLAGS, num_lanes), np.bool_)
        self.rewards = np.zeros(shape)
        self.points = np.zeros(shape)
        self.is_winner = np.zeros(shape, np.bool_)
        self.observation = np.zeros((num_lanes, game.observation.size), np.uint8)
        self.mask = np.zeros((num_lanes, game.actions.count), np.int8)
        self.sessions = [Session(ruleset, reward) for _ in range(num_lanes)]
        self.ends = [Session(ruleset, reward) for _ in range(num_lanes)]
        self.is_illegal = [False] * num_lanes
        self.has_ended = [False] * num_lanes
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        self.lanes["viewer"] = engine.CURRENT_PLAYER
        self.lanes["order"] = engine.BEGIN
        self.states["rng"] = seeds_to_words(seed, len(self.sessions))
        for lane, session in enumerate(self.sessions):
            session.reset((seed + lane) % SEED_LIMIT)
        self._call()

    def step(self, rng: random.Random) -> None:
        """One action in each lane, some of them illegal."""
        for lane, session in enumerate(self.sessions):
            legal = session.legal_actions()
            action = rng.choice(legal) if legal else 0
            if rng.random() < ILLEGAL_SHARE:
                action = rng.randrange(-2, self.ruleset.game.actions.count + 2)
            self.actions[lane] = action
            self._step_single(lane, action, action in legal)
        self._call()

    def _step_single(self, lane: int, action: int, is_legal: bool) -> None:
        session = self.sessions[lane]
        restarts = session.is_over and self.autoreset == engine.AUTORESET_NEXT_STEP
        self.is_illegal[lane] = not (is_legal or restarts)
        self.has_ended[lane] = False
        if restarts:
            session.reset()
        elif is_legal:
            session.step(action)
            self.has_ended[lane] = session.is_over
        if self.has_ended[lane]:
            self.ends[lane].restore(session)
            if self.autoreset == engine.AUTORESET_SAME_STEP:
                session.reset()

    def _call(self) -> None:
        """The engine's step, in two parts as threads would do it."""
        middle = len(self.sessions) // 2
        for first, end in ((0, middle), (middle, len(self.sessions))):
            engine.step_batch(
                self.ruleset.record,
                self.states,
                self.lanes,
                self.actions,
                self.modes,
                self.flags,
                self.rewards,
                self.points,
                self.is_winner,
                self.observation,
                self.mask,
                first,
                end,
            )

    def compare(self) -> None:
        """Every lane against its single game."""
        for lane in range(len(self.sessions)):
            mode = f"autoreset {self.autoreset}, {self.sessions[lane].reward} reward, lane {lane}"
            where = f"check_batch: {describe(self.ruleset)}, {mode}"
            self._compare_position(lane, where)
            self._compare_end(lane, where)

    def _compare_position(self, lane: int, where: str) -> None:
        session, record = self.sessions[lane], self.lanes[lane]
        same = self.states[lane : lane + 1].tobytes() == session.state.tobytes()
        require(same, f"{where}: another state than the single game")
        require(
            bool((self.observation[lane] == session.observation).all()), f"{where}: observation"
        )
        require(bool((self.mask[lane] == session.mask).all()), f"{where}: mask")
        require_equal(
            int(record.current_player), session.current_player, f"{where}: current_player"
        )
        is_illegal = bool(self.flags[engine.FLAG_ILLEGAL, lane])
        require_equal(is_illegal, self.is_illegal[lane], f"{where}: illegal")

    def _compare_end(self, lane: int, where: str) -> None:
        record, end = self.lanes[lane], self.ends[lane]
        if self.has_ended[lane]:
            rewards = end.rewards()
            flags = (end.terminated, end.truncated)
            result = end.result()
            require_equal(int(record.length), result["length"], f"{where}: length")
            require_equal(int(record.turns), end.turn_count, f"{where}: turns")
            require_equal(
                int(record.end_reasons), int(end.state[0].end_reasons), f"{where}: reasons"
            )
            require_equal(self.points[lane].tolist(), result["scores"], f"{where}: points")
            winners = np.flatnonzero(self.is_winner[lane]).tolist()
            require_equal(winners, result["winners"], f"{where}: winners")
        else:
            rewards = [0.0] * self.ruleset.num_players
            is_over = self.sessions[lane].is_over
            flags = (is_over and end.terminated, is_over and end.truncated)
        require_equal(self.rewards[lane].tolist(), rewards, f"{where}: rewards")
        shown = tuple(map(bool, self.flags[: engine.FLAG_ILLEGAL, lane]))
        require_equal(shown, flags, f"{where}: end flags")


def check_play_games(ruleset: Ruleset, num_games: int = 10, seed: int = 0) -> None:
    """The loop over whole games gives what single steps with the same choices give."""
    lanes = allocate(engine.LANE, num_games)
    words = np.stack([seeds_to_words(seed + k, num_games) for k in (0, num_games)], axis=1)
    points = np.zeros((num_games, ruleset.num_players))
    is_winner = np.zeros((num_games, ruleset.num_players), np.bool_)
    engine.play_games(
        ruleset.record,
        allocate(ruleset.game.state_dtype, 1),
        allocate(engine.CHOOSER, 1),
        words,
        lanes,
        points,
        is_winner,
        0,
        0,
        num_games,
    )
    for k in range(num_games):
        where = f"check_play_games: {describe(ruleset)}, seed {seed + k}"
        session = play_single(ruleset, (seed + k) % SEED_LIMIT, int(words[k, 1]))
        result = session.result()
        require_equal(points[k].tolist(), result["scores"], f"{where}: points")
        require_equal(np.flatnonzero(is_winner[k]).tolist(), result["winners"], f"{where}: winners")
        require_equal(int(lanes[k].length), result["length"], f"{where}: length")
        require_equal(int(lanes[k].turns), session.turn_count, f"{where}: turns")
        flags = (bool(lanes[k].terminated), bool(lanes[k].truncated))
        require_equal(flags, (session.terminated, session.truncated), f"{where}: end flags")


def play_single(ruleset: Ruleset, seed: int, chooser_word: int) -> Session:
    """A game to its end, step by step, with the choices of the engine's random bots."""
    session = Session(ruleset)
    session.reset(seed)
    chooser = allocate(engine.LANE, 1)
    chooser["rng"] = chooser_word
    actions = np.zeros(1, np.int64)
    while not session.is_over:
        engine.choose_batch(session.state, chooser, actions, 0, 1)
        session.step(int(actions[0]))
    return session


# --- compiled and interpreted ----------------------------------------------------------------


def check_interpreted(ruleset: Ruleset, seeds: Sequence[int]) -> None:
    """Compiled games have the bytes of games that a process without compilation plays.

    There every warning, an overflow for example, is an error.
    """
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", __name__, PICKLED, *map(str, seeds)]
    child = subprocess.run(
        command, input=pickle.dumps(ruleset), env=environment, capture_output=True, check=False
    )
    where = f"check_interpreted: {describe(ruleset)}"
    require(child.returncode == 0, f"{where}: {child.stderr.decode(errors='replace')[-2000:]}")
    for seed, line in zip(seeds, child.stdout.decode().splitlines(), strict=True):
        require_equal(line.split()[-1], game_hash(ruleset, seed), f"{where}, seed {seed}: hash")


def game_hash(ruleset: Ruleset, seed: int) -> str:
    """A hash of all that happens in one random game: states, what players see, redrawn states."""
    result = hashlib.blake2b(digest_size=16)
    session = Session(ruleset)
    rng = random.Random(seed)
    session.reset(seed)
    while True:
        result.update(session.serialize() + session.mask.tobytes())
        for player in range(session.num_players):
            result.update(session.observe(player).tobytes())
        redrawn = session.clone()
        redrawn.determinize(rng.randrange(session.num_players), seed)
        result.update(redrawn.serialize())
        if session.is_over:
            for mode in engine.REWARD_MODES:
                result.update(repr(_rewards(session, mode)).encode())
            return result.hexdigest()
        session.step(rng.choice(session.legal_actions()))


def main(arguments: Sequence[str]) -> int:
    """Print game, players, seed and hash of a random game for each seed."""
    if len(arguments) < 2:
        sys.stderr.write("usage: python -m tabletop_core.testing GAME SEED ...\n")
        return 2
    name, *seeds = arguments
    if name == PICKLED:
        rulesets = [pickle.load(sys.stdin.buffer)]
    else:
        game: Game = find_game(name)
        rulesets = [
            game.ruleset(players) for players in range(game.min_players, game.max_players + 1)
        ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ruleset, seed in itertools.product(rulesets, map(int, seeds)):
            line = f"{ruleset.game.id} {ruleset.num_players} {seed} {game_hash(ruleset, seed)}"
            sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
