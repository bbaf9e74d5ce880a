"""Bots: programs that choose actions, for the seats that nobody else plays."""

from __future__ import annotations

import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Final, Protocol, TypeVar, get_type_hints

import numpy as np

from . import engine, mcts
from .bits import count_members, select_member
from .errors import TabletopError, shown
from .files import path_text
from .game import Array, Ruleset, allocate
from .jit import kernel
from .policy import Policy, load_policy
from .rng import SEED_LIMIT
from .session import Session
from .text_values import parse_value

Observation = dict[str, Array]
"""{"observation": uint8 [observation_size], "action_mask": int8 [num_actions]}"""

MASK_DTYPE = np.dtype(np.int8)
NOTHING_LEGAL = -1
DEFAULT_SIMULATIONS: Final = 1000
PATH: Final = "path"

_own_random = random.Random().random


class RandomSource(Protocol):
    """`random.Random` or `numpy.random.Generator`."""

    def random(self) -> float:
        """A number in [0, 1)."""


class Bot(Protocol):
    """A program that chooses actions: any callable with these three arguments.

    Args:
        observation: what the player sees; "action_mask" is 1 for each legal action.
        player: the seat it plays, 0 .. num_players - 1.
        rng: the generator to draw from, so that games are the same for the same seed.

    Returns:
        A legal action.
    """

    def __call__(self, observation: Observation, player: int, rng: np.random.Generator) -> int:
        """The action to play."""


class StateBot(ABC):
    """A program that chooses actions from the state record instead of an observation.

    The record holds what the player may not know. A bot of this kind keeps to what the player to
    move knows: it reads public fields and the player's own cards, or redraws the rest first
    (`engine.determinize_one`).
    """

    @abstractmethod
    def choose(self, ruleset: Ruleset, states: Array, rng: np.random.Generator) -> int:
        """A legal action for the player `states[0].current_player`.

        Args:
            ruleset: the game, its options and tables.
            states: [1], a copy of the game's record that the bot may change.
            rng: the generator to draw from, so that games are the same for the same seed.
        """

    def check_ruleset(self, ruleset: Ruleset) -> None:  # noqa: B027 - most bots play any game
        """Raise TabletopError if the bot cannot play this game."""


AnyBot = Bot | StateBot


# --- bots by name ----------------------------------------------------------------------------

BOTS: Final[dict[str, type[AnyBot]]] = {}
"""Dataclasses by the names of the bots that they make; their fields are the bots' arguments."""

BotType = TypeVar("BotType", bound=type[Any])


def register_bot(bot_type: BotType) -> BotType:
    """Decorator of a dataclass `<Name>Bot`: `make_bot` makes it by its name in small letters."""
    BOTS[bot_type.__name__.removesuffix("Bot").lower()] = bot_type
    return bot_type


@register_bot
@dataclass(frozen=True)
class RandomBot:
    """Plays a uniformly random legal action."""

    def __call__(self, observation: Observation, player: int, rng: np.random.Generator) -> int:
        """A legal action."""
        return sample_legal(observation["action_mask"], rng)


@register_bot
@dataclass(frozen=True)
class RuleBot(StateBot):
    """Plays the legal action that the game's own heuristics like best (`Kernels.action_worth`)."""

    def choose(self, ruleset: Ruleset, states: Array, rng: np.random.Generator) -> int:
        """A legal action."""
        choosers = allocate(engine.CHOOSER, 1)
        choosers["rng"] = rng.integers(1, SEED_LIMIT, dtype=np.uint64)
        return int(engine.rule_one(ruleset.record, states, choosers))

    def check_ruleset(self, ruleset: Ruleset) -> None:
        """Raise TabletopError if the game has no rule-based bot."""
        if ruleset.game.kernels.action_worth is None:
            raise TabletopError(
                f"{ruleset.game.id} has no rule-based bot; the bot 'rule' cannot play it"
            )


class Searches(threading.local):
    """The last search of each thread, whose arrays are used again. Copies begin without one."""

    search: mcts.Search | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Searches, ()


@register_bot
@dataclass(frozen=True)
class MctsBot(StateBot):
    """Monte Carlo tree search (`tabletop_core.mcts`), which keeps to what the player knows.

    simulations, seconds: the budget of a decision, one of the two; without either there are
    `DEFAULT_SIMULATIONS`. trees, threads, exploration, horizon, rule_share: see `mcts.Search`.
    """

    simulations: int | None = None
    seconds: float | None = None
    trees: int = mcts.DEFAULT_TREES
    threads: int = 1
    exploration: float = mcts.DEFAULT_EXPLORATION
    horizon: int | None = mcts.DEFAULT_HORIZON
    rule_share: float = mcts.DEFAULT_RULE_SHARE
    _searches: Searches = field(default_factory=Searches, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.simulations is None and self.seconds is None:
            object.__setattr__(self, "simulations", DEFAULT_SIMULATIONS)
        mcts.check_settings(**self._settings())

    def choose(self, ruleset: Ruleset, states: Array, rng: np.random.Generator) -> int:
        """A legal action; the only one without a search."""
        legal = states[0].legal
        if count_members(legal) == 1:
            return int(select_member(legal, 0))
        seed = int(rng.integers(SEED_LIMIT, dtype=np.uint64))
        return self.search(ruleset).run(states, seed).action

    def search(self, ruleset: Ruleset) -> mcts.Search:
        """The search that decides, for a look at its findings; each thread has its own."""
        kept = self._searches
        if kept.search is None or kept.search.ruleset.digest != ruleset.digest:
            kept.search = mcts.Search(ruleset, **self._settings())
        return kept.search

    def _settings(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_searches"}


@register_bot
@dataclass(frozen=True)
class PolicyBot:
    """Plays a trained policy (`tabletop_core.policy`) that was saved for the same ruleset.

    path: the checkpoint. temperature: see `Policy.choose`.
    """

    path: str
    temperature: float = 0.0
    policy: Policy = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise TabletopError(f"temperature must be a number from 0 on, not {self.temperature}")
        object.__setattr__(self, "policy", load_policy(self.path))

    def __call__(self, observation: Observation, player: int, rng: np.random.Generator) -> int:
        """A legal action."""
        seen, mask = observation["observation"], observation["action_mask"]
        return self.policy.choose(seen, mask, self.temperature, rng)

    def check_ruleset(self, ruleset: Ruleset) -> None:
        """Raise TabletopError if the policy was trained for another ruleset."""
        self.policy.header.check_ruleset(ruleset, path_text(self.path))


def make_bot(bot: str | AnyBot) -> AnyBot:
    """The bot of this name, with arguments as in `name:key=value,key=value`; a bot is one already.

    The first argument of a bot that plays a file may be the path alone: `policy:PATH`.

    Raises:
        TabletopError: no such name, argument or value; neither a text nor a bot.
    """
    if isinstance(bot, str):
        return _named_bot(bot)
    if isinstance(bot, type) or not (callable(bot) or isinstance(bot, StateBot)):
        raise TabletopError(
            "a bot is a name, a callable bot(observation, player, rng) -> action or a StateBot, "
            f"not {shown(bot)}"
        )
    return bot


def _named_bot(text: str) -> AnyBot:
    name, colon, given = text.partition(":")
    if name not in BOTS:
        raise TabletopError(
            f"the bot {shown(text)} is not available; there is {', '.join(map(repr, BOTS))}, "
            "or give a callable bot(observation, player, rng) -> action"
        )
    bot_type = BOTS[name]
    types = get_type_hints(bot_type)
    own = [field for field in fields(bot_type) if field.init]  # type: ignore[arg-type]
    known = [field.name for field in own]
    arguments: dict[str, Any] = {}
    for part in given.split(",") if colon else ():
        key, equals, value = part.partition("=")
        if known[:1] == [PATH] and part and not arguments and key not in known:
            key, equals, value = PATH, "=", part
        if not equals or key not in known or key in arguments:
            raise TabletopError(
                f"the bot {shown(text)}: {shown(part)} is no argument that it takes once as "
                f"name=value; the arguments of {name!r} are {', '.join(known) or 'none'}"
            )
        arguments[key] = parse_value(f"the bot {shown(text)}: {key}", value, types[key])
    missing = [one.name for one in own if one.default is MISSING and one.name not in arguments]
    if missing:
        raise TabletopError(
            f"the bot {shown(text)} needs {missing[0]}, as in {name}:{missing[0].upper()}"
        )
    return bot_type(**arguments)


def split_bots(text: str) -> list[str]:
    """The names in a list like `random,mcts:simulations=100,exploration=2,rule`, arguments kept.

    A comma begins a new bot unless an argument (`key=value`) follows it.
    """
    names: list[str] = []
    for part in text.split(","):
        if names and "=" in part.partition(":")[0]:
            names[-1] += f",{part}"
        else:
            names.append(part.strip())
    return names


def make_bots(bots: Sequence[str | AnyBot], ruleset: Ruleset) -> list[AnyBot]:
    """The bots of these names, which must be able to play the game.

    Raises:
        TabletopError: not a bot, or one that cannot play it.
    """
    made = [make_bot(bot) for bot in bots]
    for bot in made:
        if isinstance(bot, (StateBot, PolicyBot)):
            bot.check_ruleset(ruleset)
    return made


def ask(bot: AnyBot, session: Session, rng: np.random.Generator) -> int:
    """What a bot plays for the current player of a game in progress; the answer is not checked."""
    if isinstance(bot, StateBot):
        return bot.choose(session.ruleset, session.state.copy(), rng)
    observation = {"observation": session.observation.copy(), "action_mask": session.mask.copy()}
    return bot(observation, session.current_player, rng)


# --- random actions --------------------------------------------------------------------------


def sample_legal(mask: Array, rng: RandomSource | None = None) -> int:
    """A uniformly random legal action, far quicker than `action_space.sample(mask)`.

    Args:
        mask: [num_actions], 1 (or True) for each legal action.
        rng: `random.Random` or `numpy.random.Generator`; default: one of this module's own.

    Raises:
        TabletopError: the mask has no legal action.
    """
    if type(mask) is not np.ndarray or mask.dtype is not MASK_DTYPE or not mask.flags.c_contiguous:
        mask = np.ascontiguousarray(mask, MASK_DTYPE)
    action: int = pick_legal(mask, _own_random() if rng is None else rng.random())
    if action == NOTHING_LEGAL:
        raise TabletopError("no action is legal in this mask: it is of a player not to move")
    return action


@kernel
def pick_legal(mask: Any, fraction: Any) -> Any:
    """The legal action at `fraction` (in [0, 1)) of all legal ones of mask int8 [num_actions]."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action] != 0
    rank = np.int64(fraction * count)
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            if rank == 0:
                return np.int64(action)
            rank -= 1
    return np.int64(NOTHING_LEGAL)
