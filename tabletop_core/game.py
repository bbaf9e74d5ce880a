"""What the core knows of a game: one frozen description, and the table of installed games."""

from __future__ import annotations

import hashlib
import importlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from . import verbs
from .bits import WORD_BITS
from .errors import TabletopError, shown
from .jit import register_packages
from .options import options_from_json, options_to_json

if TYPE_CHECKING:
    from .canvas import Drawing
    from .scene import Scene

ENTRY_POINT_GROUP = "tabletop_core.games"  # under which installed packages name their games

Array = np.ndarray[Any, np.dtype[Any]]
Json = dict[str, Any]


# --- actions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ActionBlock:
    """`count` actions that differ by one number k = 0 .. count - 1."""

    name: str
    count: int
    meaning: str


@dataclass(frozen=True)
class ActionTable:
    """All actions of a game, block after block; ids are derived from the order of the blocks."""

    blocks: tuple[ActionBlock, ...]

    @cached_property
    def count(self) -> int:
        """Number of actions, the size of the `Discrete` action space."""
        return sum(block.count for block in self.blocks)

    @property
    def num_words(self) -> int:
        """Number of 64-bit words that hold a set of actions."""
        return -(-self.count // WORD_BITS)

    def first(self, name: str) -> int:
        """Id of the first action of a block."""
        start = 0
        for block in self.blocks:
            if block.name == name:
                return start
            start += block.count
        raise KeyError(name)

    def block_of(self, action: int) -> tuple[ActionBlock, int]:
        """The block of an action id, and its number k within the block."""
        start = 0
        for block in self.blocks:
            if action < start + block.count:
                return block, action - start
            start += block.count
        raise KeyError(action)

    def rows(self) -> Iterator[tuple[int, int, ActionBlock]]:
        """(first id, last id, block) for each block."""
        for block in self.blocks:
            start = self.first(block.name)
            yield start, start + block.count - 1, block


def action_table(*blocks: ActionBlock) -> ActionTable:
    """The action table made of `blocks`, in this order."""
    return ActionTable(blocks)


# --- state records ---------------------------------------------------------------------------


def state_header(name: str, action_count: int) -> list[tuple[Any, ...]]:
    """The fields that every STATE record begins with; `name` is the game's, to make it unique.

    The core reads and writes these; a game adds its own behind them.
    """
    return [
        ("rng", np.uint64),  # the random generator's word, never 0
        ("ruleset", np.uint64),  # digest of the RULES record this game is played by
        (
            "legal",
            np.uint64,
            -(-action_count // WORD_BITS),
        ),  # legal actions of the pending decision
        ("turn_count", np.uint32),  # finished turns of all players together
        ("decision_count", np.uint32),  # answered decisions that had at least two legal answers
        (f"{name}_version", np.uint16),  # version of the environment
        ("current_player", np.uint8),  # who decides now; at the end: who acted last
        ("end_reasons", np.uint8),  # bit k: reason k of `Game.end_reasons` ended the game
        ("is_truncated", np.uint8),  # 1: the cap on turns ended the game
        ("must_ask", np.uint8),  # 1: put the decision even if only one action is legal
    ]


UNUSED: Final = "unused_"  # begins the names of fields that only fill a record


def state_record(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """The type of a STATE record made of `fields`, aligned, with no byte between fields.

    NumPy copies records field by field: bytes between them would be whatever the memory held, and
    equal games would not be equal bytes. Fields `unused_0` ..., which stay 0, take their place.
    """
    aligned = np.dtype(list(fields), align=True)
    dense: list[tuple[Any, ...]] = []
    end = 0
    for name, offset in _places(aligned):
        if offset > end:
            dense.append((f"{UNUSED}{len(dense)}", np.uint8, (offset - end,)))
        if name is not None:
            dense.append((name, aligned[name]))
            end = offset + aligned[name].itemsize
    return np.dtype(dense, align=True)


def _places(dtype: np.dtype[Any]) -> Iterator[tuple[str | None, int]]:
    """Where each field of a record begins; with None, where the record ends."""
    fields: Mapping[str, Any] = dtype.fields or {}
    for name, (_, offset, *_) in fields.items():
        yield name, offset
    yield None, dtype.itemsize


def used_fields(state_dtype: np.dtype[Any]) -> tuple[str, ...]:
    """The names of the fields of a STATE record that hold something."""
    return tuple(name for name in state_dtype.names or () if not name.startswith(UNUSED))


def allocate(dtype: np.dtype[Any], count: int) -> Array:
    """Zeroed records [count] in the form kernels take: an exact ndarray of `np.record`."""
    return np.zeros(count, record_dtype(dtype))


@cache
def record_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """`dtype` as the one `np.record` dtype object of this process.

    A kernel call takes half a microsecond if it has seen the dtype object before, and three if it
    has to compare a new one field by field.
    """
    return np.dtype((np.record, dtype))


# --- observations ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ObservationField:
    """One named part of an observation vector."""

    name: str
    shape: tuple[int, ...]
    high: int
    """Largest value; the smallest is 0."""
    meaning: str

    @cached_property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class ObservationLayout:
    """The parts of an observation vector in order; offsets are derived."""

    fields: tuple[ObservationField, ...]

    @cached_property
    def size(self) -> int:
        """Length of the observation vector (uint8)."""
        return sum(field.size for field in self.fields)

    def first(self, name: str) -> int:
        """Index of the first entry of a field."""
        start = 0
        for field in self.fields:
            if field.name == name:
                return start
            start += field.size
        raise KeyError(name)

    def high(self) -> Array:
        """Largest value of every entry, uint8 [size]."""
        parts = [np.full(field.size, field.high, np.uint8) for field in self.fields]
        return np.concatenate(parts)

    def split(self, observation: Array) -> dict[str, Array]:
        """Views of an observation (or of a batch [..., size]), one for each field, in its shape."""
        parts = {}
        start = 0
        for field in self.fields:
            part = observation[..., start : start + field.size]
            parts[field.name] = part.reshape(observation.shape[:-1] + field.shape)
            start += field.size
        return parts

    def rows(self) -> Iterator[tuple[int, int, ObservationField]]:
        """(first index, end index, field) for each field."""
        start = 0
        for field in self.fields:
            yield start, start + field.size, field
            start += field.size


# --- games -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ruleset:
    """One game with its options and tables fixed: everything that play depends on but the state."""

    game: Game
    num_players: int
    options: Any
    """The game's frozen options dataclass."""
    tables: Any
    """The game's own tables with names, as `Game.make_rules` returned them."""
    record: Array
    """RULES [1], read-only: what kernels see."""

    @property
    def digest(self) -> int:
        """64-bit digest of the game, its version, the options and the tables."""
        return int(self.record[0].digest)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update(content)
        self.__dict__["record"] = self.record.view(record_dtype(self.game.rules_dtype))
        self.record.flags.writeable = False  # kernels are compiled for read-only rules alone


@dataclass(frozen=True)
class OtherTable:
    """How a game is kept and seen with numbers of players that its own records are not made for.

    The state has the same fields by name in both, of other sizes, so that the same kernels play
    both; they are compiled for either when it is first used.
    """

    players: range
    """Numbers of players."""
    state_dtype: np.dtype[Any]
    observation: ObservationLayout


def _seen_by_all(ruleset: Ruleset, state: Array, action: int, viewer: int) -> str:
    """The text of an action, if the game has no secret choices."""
    return ruleset.game.action_to_string(ruleset, state, action)


@dataclass(frozen=True)
class Game:
    """The description of a game: all that the core knows of it.

    A game package builds one, registers it (`register_game`) and names it in the entry-point group
    `tabletop_core.games`. Functions take the `Ruleset` first and a state array [1] second.
    """

    name: str
    version: int
    title: str
    min_players: int
    max_players: int
    actions: ActionTable
    observation: ObservationLayout
    state_dtype: np.dtype[Any]
    rules_dtype: np.dtype[Any]
    kernels: verbs.Kernels
    prompts: tuple[str, ...]
    """Names of the values of the state's `prompt` field."""
    end_reasons: tuple[str, ...]
    """Names of the bits of the state's `end_reasons` field."""
    options_type: type
    """Frozen dataclass of the rule options, all with defaults, documented in `option_meanings`."""
    option_meanings: Mapping[str, str]
    make_rules: Callable[[Any, int], tuple[Array, Any]]
    """(checked options, num_players) -> (RULES array [1] without digest, tables)."""
    action_to_string: Callable[[Ruleset, Array, int], str]
    string_to_action: Callable[[Ruleset, Array, str], int]
    """Inverse of `action_to_string` in the same state; raises TabletopError."""
    state_to_json: Callable[[Ruleset, Array], Json]
    state_from_json: Callable[[Ruleset, Json], Array]
    """-> state array [1], checked but with `legal` not yet filled; raises TabletopError."""
    view_to_json: Callable[[Ruleset, Array, int], Json]
    """What one player may know, in words."""
    decode: Callable[[Ruleset, Array], Json]
    """observation [size] -> the same as `view_to_json`."""
    render: Callable[[Ruleset, Array, int | None], str]
    """Text picture of the table, seen by one player or (None) openly."""
    export_ruleset: Callable[[Any], str]
    """tables -> text of a ruleset file."""
    module: str
    """Name of the module that users import, for example `jumpgate_env.jumpgate_v0`."""
    check_options: Callable[[Any, int], Any] = lambda options, num_players: options
    """(options, num_players) -> the options as plain Python values; raises TabletopError."""
    other_table: OtherTable | None = None
    """What differs in games of some other numbers of players, see `for_players`."""
    seen_action: Callable[[Ruleset, Array, int, int], str] = _seen_by_all
    """(ruleset, state, action, viewer) -> an action as another player sees it being played: a game
    in which cards are chosen secretly says less than `action_to_string` does."""
    options_to_json: Callable[[Ruleset], Json] = options_to_json
    """The options as JSON types, with what files held in place of their names."""
    options_from_json: Callable[[Json], Json] = options_from_json
    """Option values by name from `options_to_json`."""
    draw: Callable[[Scene], Drawing] | None = None
    """Picture of the table from what players may know; None: the game has only text."""
    rooms: tuple[str, ...] = ()
    """If records have a field `error`: what has run out of room, by its value; 0 is nothing."""

    @property
    def id(self) -> str:
        """Name with version, for example `jumpgate_v0`."""
        return f"{self.name}_v{self.version}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_game, (self.module, self.player_ranges[0][0])

    @property
    def player_ranges(self) -> tuple[range, ...]:
        """Numbers of players whose games are kept and seen alike; first those of this table."""
        everybody = range(self.min_players, self.max_players + 1)
        if self.other_table is None:
            return (everybody,)
        own = [number for number in everybody if number not in self.other_table.players]
        return range(own[0], own[-1] + 1), self.other_table.players

    def for_players(self, num_players: int) -> Game:
        """The description with the records and the observation of games of so many players."""
        is_other = self.other_table is not None and num_players in self.other_table.players
        return self._at_other_table if is_other else self

    @cached_property
    def _at_other_table(self) -> Game:
        other = self.other_table
        assert other is not None
        this_table = OtherTable(self.player_ranges[0], self.state_dtype, self.observation)
        game = replace(
            self,
            state_dtype=other.state_dtype,
            observation=other.observation,
            other_table=this_table,
        )
        game.__dict__["_at_other_table"] = self
        return game

    def check_room(self, states: Array) -> None:
        """Refuse states [count] in which a game needed more room than its record has.

        Kernels leave the field `error` alone once it is set, also when a new game begins.

        Raises:
            TabletopError: names what has run out, and clears it.
        """
        if self.rooms and states["error"].any():
            index = int(np.flatnonzero(states["error"])[0])
            room = self.rooms[int(states["error"][index])]
            states["error"] = 0
            raise TabletopError(
                f"{self.id}: a game has more {room} than a record holds and cannot go on "
                f"(state {index}); begin a new game"
            )

    def ruleset(self, num_players: int | None = None, **options: Any) -> Ruleset:
        """The game for `num_players` (default: the fewest) with rule options by name.

        Raises:
            TabletopError: unknown option, bad value, or a player count the game does not have.
        """
        players = self.min_players if num_players is None else num_players
        self._check_players(players)
        self.check_option_names(options)
        chosen = self.check_options(self.options_type(**options), int(players))
        record, tables = self.make_rules(chosen, int(players))
        record[0].digest = self._digest(record)
        record.flags.writeable = False
        return Ruleset(self.for_players(int(players)), int(players), chosen, tables, record)

    def check_option_names(self, names: Iterable[str]) -> None:
        """Raise TabletopError if the game lacks an option of these names."""
        known = {field.name for field in fields(self.options_type)}
        for name in names:
            if name not in known:
                raise TabletopError(
                    f"{self.id} has no option {name!r}; its options are {', '.join(sorted(known))}"
                )

    def _check_players(self, num_players: object) -> None:
        is_whole = isinstance(num_players, (int, np.integer)) and not isinstance(num_players, bool)
        if not is_whole or not self.min_players <= num_players <= self.max_players:  # type: ignore[operator]
            raise TabletopError(
                f"{self.id} is for {self.min_players} to {self.max_players} players; "
                f"num_players={shown(num_players)} is not possible"
            )

    def _digest(self, record: Array) -> int:
        record[0].digest = 0
        content = f"{self.id}/{self.rules_dtype.descr}".encode() + record.tobytes()
        return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")


def _load_game(module: str, num_players: int) -> Game:
    """Unpickle a game: the description that its module holds."""
    game = importlib.import_module(module).GAME
    assert isinstance(game, Game)
    return game.for_players(num_players)


_games: dict[str, Game] = {}


def register_game(game: Game) -> Game:
    """Make a game known to the core in this process; returns it.

    Raises:
        TabletopError: the name or the fields of the state record are taken by another game, or
            the record has bytes between its fields (`state_record` makes one that has none).
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        raise TabletopError(f"a game's name is made of a-z, 0-9 and _, not {game.name!r}")
    if _games.get(game.id, game) is not game:
        raise TabletopError(f"another game is registered as {game.id} already")
    modules = (game.module, *(each.__module__ for each in vars(game.kernels).values() if each))
    packages = frozenset(module.partition(".")[0] for module in modules)
    tables = (game, game.other_table) if game.other_table is not None else (game,)
    for table in tables:
        _check_record(game, table.state_dtype)
    for table in tables:
        verbs.register_kernels(table.state_dtype, game.kernels)
        register_packages(packages, table.state_dtype.names or ())
    _games[game.id] = game
    return game


def _check_record(game: Game, dtype: np.dtype[Any]) -> None:
    if sum(dtype[name].itemsize for name in dtype.names or ()) != dtype.itemsize:
        raise TabletopError(
            f"the state record of {game.id} has bytes between its fields, which copies lose; "
            "make it with tabletop_core.game.state_record"
        )


def games() -> dict[str, Game]:
    """All games: those registered in this process and those of installed packages, by id."""
    for entry in _entry_points():
        if entry.name not in _games:
            game = entry.load()
            if not isinstance(game, Game):
                raise TabletopError(f"entry point {entry.value} is not a tabletop_core Game")
            register_game(game)
    return dict(sorted(_games.items()))


@cache
def _entry_points() -> tuple[Any, ...]:
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def find_game(name: str) -> Game:
    """The game of this name, with or without version (`jumpgate` or `jumpgate_v0`).

    Raises:
        TabletopError: there is none; the message lists those that are installed.
    """
    known = games()
    matching = [game for game in known.values() if name in (game.id, game.name)]
    if not matching:
        listed = ", ".join(known) or "none"
        raise TabletopError(f"no game is called {name!r}; installed games: {listed}")
    return max(matching, key=lambda game: game.version)
