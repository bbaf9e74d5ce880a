"""Game records: a whole game as one line of JSON, which plays again to the same bytes.

A `GameRecord` is complete: game, version, options, digest of the ruleset, seed, every decision in
words and numbers, the result. A `ViewRecord` is what one player saw of it: no seed, no hidden card.
docs/records.md describes both, key by key. ::

    env.start_recording()
    ...                                             # play a game
    write_records("games.jsonl", [env.record()])
    for record in read_records("games.jsonl"):
        for session in replay(record):              # raises RecordMismatch if anything differs
            session.render()
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np

from . import engine
from .errors import TabletopError, shown
from .files import append_to_file, new_file, path_text, reason
from .game import Game, Json, Ruleset, allocate, find_game, games
from .position import BadValue, Reader, check_list, number, optional, read_all
from .rng import SEED_LIMIT, word_to_seed
from .session import GameLog, Session

FORMAT: Final = 1
GAME: Final = "game"  # the two kinds of records
VIEW: Final = "view"
COMPRESSED: Final = ".gz"  # at the end of a file's name
FINAL_BYTES: Final = 16
MAX_PLAYERS: Final = 64
MAX_ACTION: Final = 2**31 - 1
KEPT_RULESETS: Final = 32  # of the records read last


class RecordMismatch(TabletopError):
    """A record says something else than what the game does."""


class Decision(NamedTuple):
    """The answer of one player, with the words that it has in its position."""

    player: int
    action: int
    words: str


class SeenDecision(NamedTuple):
    """The answer of one player as another one sees it; both None where a view record begins."""

    player: int | None
    words: str | None


# --- records ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    """What both kinds of records begin with."""

    game: str
    """Name of the game without version, for example `jumpgate`."""
    version: int
    num_players: int
    options: Json
    """All rule options as JSON types (`Game.options_to_json`)."""
    ruleset: str
    """Digest of the ruleset, 16 hexadecimal digits."""
    players: tuple[str, ...] | None
    """Who plays each seat, if it was told."""
    result: Json | None
    """`Session.result()`; None if the game was not over."""

    def rules(self) -> Ruleset:
        """The ruleset that the game was played by.

        Raises:
            TabletopError: the game is not installed in this version, or has other tables now.
        """
        options = json.dumps(self.options, sort_keys=True)
        rules = _ruleset(self.game, self.version, self.num_players, options)
        if f"{rules.digest:016x}" != self.ruleset:
            raise TabletopError(
                f"this record was played by the ruleset {self.ruleset} of {rules.game.id}; its "
                f"options make the ruleset {rules.digest:016x} here: the tables have changed"
            )
        return rules

    def _heading(self, kind: str) -> Json:
        return {
            "record": kind,
            "format": FORMAT,
            "game": self.game,
            "version": self.version,
            "num_players": self.num_players,
            "options": self.options,
            "ruleset": self.ruleset,
        }


@dataclass(frozen=True)
class GameRecord(Heading):
    """One game, complete: it plays again to the same bytes."""

    seed: int | None
    """`reset(seed)` deals this game; None if it began at a position."""
    start: Json | None
    """The position in words from which it was recorded, or None."""
    decisions: tuple[Decision, ...]
    """Every decision that was put to somebody, in order."""
    illegal_action: Decision | None
    """What was tried at last, if the game was ended for it."""
    final: str
    """Digest of the last position, see `position_digest`."""

    def to_json(self) -> Json:
        """The record as JSON types, keys in the order of the documentation."""
        return {
            **self._heading(GAME),
            "seed": self.seed,
            "start": self.start,
            "players": None if self.players is None else list(self.players),
            "actions": [list(decision) for decision in self.decisions],
            "illegal_action": None if self.illegal_action is None else list(self.illegal_action),
            "result": self.result,
            "final": self.final,
        }


class SeenPosition(NamedTuple):
    """What a player saw after a decision (or, the first time, when the recording began)."""

    decision: SeenDecision
    view: Json
    """`Session.to_json(player)`."""


@dataclass(frozen=True)
class ViewRecord(Heading):
    """One game as one player saw it, without seed and hidden cards; it cannot be played again."""

    viewer: int
    positions: tuple[SeenPosition, ...]
    illegal_action: SeenDecision | None

    def to_json(self) -> Json:
        """The record as JSON types, keys in the order of the documentation."""
        return {
            **self._heading(VIEW),
            "players": None if self.players is None else list(self.players),
            "viewer": self.viewer,
            "steps": [
                {"player": decision.player, "words": decision.words, "view": view}
                for decision, view in self.positions
            ],
            "illegal_action": None if self.illegal_action is None else list(self.illegal_action),
            "result": self.result,
        }


AnyRecord = GameRecord | ViewRecord


# --- making records --------------------------------------------------------------------------


def record_of(session: Session, players: Sequence[str] | None = None) -> GameRecord:
    """The game in progress in a session that is recorded.

    Args:
        session: after `start_recording()` and `reset()` (or another way to begin).
        players: who plays each seat.

    Raises:
        TabletopError: it is not recorded or has not begun, or its state was changed from outside.
    """
    if session.log is None or not session.has_started:
        raise TabletopError(
            f"{session.game.id}: nothing is recorded: call start_recording(), then begin a game"
        )
    record, again = play_log(session.ruleset, session.log, players)
    if again.state.tobytes() != session.state.tobytes():
        raise TabletopError(
            f"{session.game.id}: the recorded decisions do not lead to this position; "
            "was its state changed from outside?"
        )
    return record


def play_log(
    ruleset: Ruleset, log: GameLog, players: Sequence[str] | None = None
) -> tuple[GameRecord, Session]:
    """The record of what was kept of a game, and the game played by it to its last position."""
    session = Session(ruleset)
    seed = start = None
    if log.position is None:
        seed = word_to_seed(log.rng)
    else:
        session.state.view(np.uint8)[:] = np.frombuffer(log.position, np.uint8)
        start = ruleset.game.state_to_json(ruleset, session.state)
    _begin(session, seed, start)
    decisions = []
    for action in _answers(session, log):
        decisions.append(_decision(session, action))
        session.step(action)
    illegal = None if log.illegal_action is None else _decision(session, log.illegal_action)
    return (
        GameRecord(
            game=ruleset.game.name,
            version=ruleset.game.version,
            num_players=ruleset.num_players,
            options=_plain(ruleset.game.options_to_json(ruleset)),
            ruleset=f"{ruleset.digest:016x}",
            players=_names(ruleset, players),
            result=_result(session, illegal),
            seed=seed,
            start=start,
            decisions=tuple(decisions),
            illegal_action=illegal,
            final=position_digest(session),
        ),
        session,
    )


def _answers(session: Session, log: GameLog) -> Iterator[int]:
    """The action at each position of a game that was kept; bots of kernels decide again."""
    lane = allocate(engine.LANE, 1)
    chooser = allocate(engine.CHOOSER, 1)
    drawn = np.zeros(1, np.int64)
    lane["rng"] = log.bots_rng
    kept = iter(log.actions)
    while not session.is_over:
        player = session.current_player
        if log.rule_bots >> player & 1:
            chooser["rng"] = lane["rng"]
            yield int(engine.rule_one(session.ruleset.record, session.state, chooser))
            lane["rng"] = chooser["rng"]
        elif log.bots >> player & 1:
            engine.choose_batch(session.state, lane, drawn, 0, 1)
            yield int(drawn[0])
        else:
            action = next(kept, None)
            if action is None:
                return
            yield action


def position_digest(session: Session) -> str:
    """128-bit digest of a position, random generator included, as hexadecimal digits."""
    return hashlib.blake2b(session.serialize(), digest_size=FINAL_BYTES).hexdigest()


def view_record(record: GameRecord, viewer: int) -> ViewRecord:
    """The game as player `viewer` saw it.

    Raises:
        TabletopError: there is no such player, or the record cannot be played again.
    """
    positions: list[SeenPosition] = []
    decision = SeenDecision(None, None)
    illegal = None
    left = iter([*record.decisions, record.illegal_action])
    for session in replay(record):
        seat = session.check_player(viewer)
        positions.append(SeenPosition(decision, session.to_json(seat)))
        answer = next(left)
        if answer is not None:
            words = session.action_seen(answer.action, seat)
            decision = SeenDecision(answer.player, words)
    if record.illegal_action is not None:
        # What somebody has tried in vain may name a card in the hand.
        is_own = record.illegal_action.player == viewer
        illegal = decision if is_own else decision._replace(words=None)
    result = record.result
    if result is not None and illegal is not None:
        result = {**result, "illegal_action": illegal.words}
    return ViewRecord(
        **{name: getattr(record, name) for name in Heading.__dataclass_fields__}
        | {"result": result},
        viewer=viewer,
        positions=tuple(positions),
        illegal_action=illegal,
    )


def _decision(session: Session, action: int) -> Decision:
    return Decision(session.current_player, action, session.action_to_string(action))


def _begin(session: Session, seed: int | None, start: Json | None) -> None:
    if start is None:
        session.reset(seed)
    else:
        session.from_json(start)


def _result(session: Session, illegal: Decision | None) -> Json | None:
    if illegal is not None:
        return session.illegal_result(illegal.action)
    return session.result() if session.is_over else None


def _names(ruleset: Ruleset, players: Sequence[str] | None) -> tuple[str, ...] | None:
    if players is None:
        return None
    if len(players) != ruleset.num_players or not all(isinstance(name, str) for name in players):
        raise TabletopError(
            f"{ruleset.game.id}: players of a record are {ruleset.num_players} names, "
            f"not {players!r}"
        )
    return tuple(players)


def _plain(data: Json) -> Json:
    """The same with lists for tuples, as it comes back from a file."""
    plain: Json = json.loads(json.dumps(data, allow_nan=False))
    return plain


# --- playing records again -------------------------------------------------------------------


def replay(record: GameRecord, reward: str = "win") -> Iterator[Session]:
    """Play a record again, and compare everything that it says.

    Args:
        record: of a whole game or the beginning of one.
        reward: what the session's `rewards()` pays at the end, "win", "score" or "margin".

    Yields:
        The same session at each position: first where the record begins, then after each of its
        decisions. It must be left as it is.

    Raises:
        RecordMismatch: the game goes another way than the record says; the message names the step.
        TabletopError: the record cannot be played here at all, see `Heading.rules`.
    """
    session = Session(record.rules(), reward)
    _begin(session, record.seed, record.start)
    yield session
    for step, decision in enumerate(record.decisions, 1):
        _check_decision(session, decision, step)
        session.step(decision.action)
        yield session
    _check_end(session, record)


def _check_decision(session: Session, decision: Decision, step: int) -> None:
    where = f"{session.game.id}: step {step}"
    said = f"player {decision.player} plays {decision.words!r} (action {decision.action})"
    if session.is_over:
        raise RecordMismatch(f"{where}: the record says that {said}, but the game is over")
    if decision.player != session.current_player:
        raise RecordMismatch(
            f"{where}: the record says that {said}, but player {session.current_player} decides"
        )
    if not 0 <= decision.action < session.game.actions.count:
        raise RecordMismatch(f"{where}: the record says that {said}; there is no such action")
    words = session.action_to_string(decision.action)
    if words != decision.words:
        raise RecordMismatch(f"{where}: the record says that {said}, but that action is {words!r}")
    if not session.is_legal(decision.action):
        raise RecordMismatch(f"{where}: {session.explain_illegal(decision.action)}")


def _check_end(session: Session, record: GameRecord) -> None:
    where = f"{session.game.id}: after {len(record.decisions)} decisions"
    illegal = record.illegal_action
    if illegal is not None:
        if session.is_over or illegal.player != session.current_player:
            raise RecordMismatch(f"{where}: player {illegal.player} has nothing to decide")
        if session.is_legal(illegal.action):
            raise RecordMismatch(f"{where}: {illegal.words!r} is legal, but the record denies it")
        if session.action_to_string(illegal.action) != illegal.words:
            raise RecordMismatch(f"{where}: action {illegal.action} is not {illegal.words!r}")
    result = _result(session, illegal)
    if result != record.result:
        raise RecordMismatch(f"{where}: the result is {result}, the record says {record.result}")
    final = position_digest(session)
    if final != record.final:
        raise RecordMismatch(
            f"{where}: the position has the digest {final}, the record says {record.final}"
        )


@lru_cache(maxsize=KEPT_RULESETS)
def _ruleset(name: str, version: int, num_players: int, options: str) -> Ruleset:
    game = _game_of(name, version)
    values = game.options_from_json(json.loads(options))
    game.check_option_names(values)  # `num_players` is none
    return game.ruleset(num_players, **values)


def _game_of(name: str, version: int) -> Game:
    """The game of a record in just this version."""
    known = [game for game in games().values() if game.name == name]
    for game in known:
        if game.version == version:
            return game
    other = find_game(name)  # raises if there is none at all
    raise TabletopError(
        f"this record is of {name}_v{version}, and {other.id} is installed: games of another "
        "version go another way; replay it with a release that has this version"
    )


# --- files -----------------------------------------------------------------------------------


def write_records(
    path: str | os.PathLike[str],
    records: Iterable[AnyRecord],
    *,
    force: bool = False,
    append: bool = False,
) -> int:
    """Write records as lines of JSON; returns how many.

    A new file appears complete or not at all, so `records` may be a generator that fails.

    Args:
        path: of a new file; it is compressed by gzip if its name ends with `.gz`.
        records: one line for each.
        force: whether another file may be replaced.
        append: add the lines to a file that may exist already.

    Raises:
        TabletopError: the file exists and neither `force` nor `append` is given, or it cannot be
            written; or lines are to be added to a compressed file.
    """
    lines = (to_line(record) for record in records)
    if append and _is_compressed(path):
        raise TabletopError(f"{path_text(path)} is compressed: lines are added to plain files only")
    if append:
        data = list(lines)
        append_to_file(path, b"".join(data))
        return len(data)
    count = 0
    with new_file(path, force) as stream, _compressing(path, stream) as plain:
        for line in lines:
            plain.write(line)
            count += 1
    return count


def _is_compressed(path: str | os.PathLike[str]) -> bool:
    return path_text(path).endswith(COMPRESSED)


def _compressing(
    path: str | os.PathLike[str], stream: BinaryIO
) -> AbstractContextManager[gzip.GzipFile | BinaryIO]:
    """Takes plain bytes for a file; the same records give the same file, so no time is in it."""
    if _is_compressed(path):
        return gzip.GzipFile("", "wb", fileobj=stream, mtime=0)
    return nullcontext(stream)


def to_line(record: AnyRecord) -> bytes:
    """A record as one line of UTF-8 JSON, line feed included."""
    content = record.to_json()
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def read_records(path: str | os.PathLike[str]) -> Iterator[AnyRecord]:
    """The records of a file, one after the other; a name with `.gz` is of a compressed file.

    Raises:
        TabletopError: the file cannot be read, or a line is no record; the message names the line.
    """
    file = path_text(path)
    try:
        with gzip.open(path) if _is_compressed(path) else open(path, "rb") as stream:
            yield from records_of_lines(stream, file)
    except FileNotFoundError:
        raise TabletopError(f"{file}: there is no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        raise TabletopError(f"{file} cannot be read: {reason(error)}") from None


def records_of_lines(lines: Iterable[bytes], file: str) -> Iterator[AnyRecord]:
    """The records in lines of JSON; `file` names them in errors."""
    for line_number, line in enumerate(lines, 1):
        try:
            yield parse_record(line)
        except TabletopError as error:
            raise TabletopError(f"{file}:{line_number}: {error}") from None


def parse_record(line: bytes | str) -> AnyRecord:
    """The record in one line of JSON. Whether it is true is for `replay` to say.

    Raises:
        TabletopError: not a record; the message lists everything that is wrong.
    """
    try:
        data = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise TabletopError(f"this line is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("record") not in (GAME, VIEW):
        raise TabletopError('this line is not a record: it has no "record": "game" or "view"')
    if data.get("format") != FORMAT:
        raise TabletopError(
            f"this record has the format {shown(data.get('format'))}; "
            f"this release reads the format {FORMAT}"
        )
    is_game = data["record"] == GAME
    values = _read(data, _GAME_READERS if is_game else _VIEW_READERS)
    return GameRecord(**values) if is_game else ViewRecord(**values)


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not a number")


# --- reading one record ----------------------------------------------------------------------


def _read(data: Mapping[str, Any], readers: Mapping[str, tuple[str, Reader]]) -> Json:
    """Field of the dataclass -> value; refuses a record with everything that is wrong in it."""
    known = {"record", "format", *readers}
    problems = [f"{shown(key)}: unknown key" for key in data if key not in known]
    problems += [f"{key}: is missing" for key in readers if key not in data]
    values: Json = {}
    for key, (name, reader) in readers.items():
        if key in data:
            try:
                values[name] = reader(data[key])
            except BadValue as error:
                problems += [f"{key}{place}: {text}" for place, text in error.problems]
    if not problems:
        problems += _count_problems(values)
    if problems:
        raise TabletopError("\n  ".join(["this record is damaged:", *problems]))
    return values


def _count_problems(values: Json) -> Iterator[str]:
    players = values["players"]
    if players is not None and len(players) != values["num_players"]:
        yield f"players: there are {len(players)} names for {values['num_players']} players"
    if "seed" in values and (values["seed"] is None) == (values["start"] is None):
        yield "seed: either seed or start must be null"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise BadValue(("", f"must be a text, not {shown(value)}"))


def _object(value: Any) -> Json:
    if isinstance(value, dict):
        return value
    raise BadValue(("", f"must be an object, not {shown(value)}"))


def _listed(reader: Reader) -> Reader:
    """A list of any length -> a tuple."""

    def read(value: Any) -> tuple[Any, ...]:
        check_list(value)
        return tuple(read_all(enumerate(value), reader))

    return read


def _parts(*readers: Reader) -> Callable[[Any], Iterator[Any]]:
    """A list with one value for each reader."""

    def read(value: Any) -> Iterator[Any]:
        check_list(value)
        if len(value) != len(readers):
            raise BadValue(("", f"must be a list of {len(readers)}, not {shown(value)}"))
        return (reader(part) for reader, part in zip(readers, value, strict=True))

    return read


_decision_parts = _parts(number(0, MAX_PLAYERS - 1), number(0, MAX_ACTION), _text)
_seen_parts = _parts(optional(number(0, MAX_PLAYERS - 1)), optional(_text))


def _decision_reader(value: Any) -> Decision:
    return Decision(*_decision_parts(value))


def _seen_reader(value: Any) -> SeenDecision:
    return SeenDecision(*_seen_parts(value))


def _position_reader(value: Any) -> SeenPosition:
    step = _object(value)
    if set(step) != {"player", "words", "view"}:
        raise BadValue(("", "must have the keys player, words and view"))
    decision = _seen_reader([step["player"], step["words"]])
    return SeenPosition(decision, _object(step["view"]))


def _digits(count: int) -> Reader:
    """So many hexadecimal digits."""

    def read(value: Any) -> str:
        if isinstance(value, str) and len(value) == count and set(value) <= set("0123456789abcdef"):
            return value
        raise BadValue(("", f"must be {count} hexadecimal digits, not {shown(value)}"))

    return read


_HEADING_READERS: Final = {
    "game": ("game", _text),
    "version": ("version", number(0, 2**16 - 1)),
    "num_players": ("num_players", number(1, MAX_PLAYERS)),
    "options": ("options", _object),
    "ruleset": ("ruleset", _digits(16)),
    "players": ("players", optional(_listed(_text))),
    "result": ("result", optional(_object)),
}
_GAME_READERS: Final = {
    **_HEADING_READERS,
    "seed": ("seed", optional(number(0, SEED_LIMIT - 1))),
    "start": ("start", optional(_object)),
    "actions": ("decisions", _listed(_decision_reader)),
    "illegal_action": ("illegal_action", optional(_decision_reader)),
    "final": ("final", _digits(2 * FINAL_BYTES)),
}
_VIEW_READERS: Final = {
    **_HEADING_READERS,
    "viewer": ("viewer", number(0, MAX_PLAYERS - 1)),
    "steps": ("positions", _listed(_position_reader)),
    "illegal_action": ("illegal_action", optional(_seen_reader)),
}
