"""Records of many games as data sets: Arrow and Parquet tables, Minari data sets of single seats.

The games are played again one after the other, verified on the way, and written in batches, so that
memory does not grow with their number. Needs the packages of the extra `data`.
"""

from __future__ import annotations

import importlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import gymnasium
import numpy as np

from .errors import TabletopError
from .files import new_file, path_text, reason
from .game import Array, Game, Ruleset
from .record import AnyRecord, GameRecord, replay
from .registration import environment_id, register_environments
from .session import Session
from .single_game import ILLEGAL_REWARD, make_action_space, make_observation_space

FORMATS: Final = ("parquet", "arrow")
BATCH_ROWS: Final = 4096  # of a row group, at least; with long games some more
HOW_TO_GET_IT: Final = 'pip install "tabletop-envs[data]"'

Report = Callable[[int, int], None]
"""Called after each game with the numbers of games and decisions so far."""


@dataclass(frozen=True)
class Exported:
    """What was written."""

    games: int
    rows: int
    """Decisions."""


# --- games -----------------------------------------------------------------------------------


class _Games:
    """Whole games of one kind, played again: the same game, actions and observations.

    reward: what they pay at their end.
    """

    def __init__(self, records: Iterable[AnyRecord], reward: str, report: Report | None) -> None:
        records = iter(records)
        first = next(records, None)
        if first is None:
            raise TabletopError("there is no record to export")
        self.first = _whole_game(first, 0)
        self.ruleset: Final[Ruleset] = self.first.rules()
        Session(self.ruleset, reward)  # refuses an unknown reward
        self.game: Final[Game] = self.ruleset.game
        self.reward: Final = reward
        self._left = records
        self._report = report
        self.count = 0
        self.rows = 0

    def __iter__(self) -> Iterator[GameRecord]:
        """Each record; what is done with it happens before the next one is asked for."""
        yield self.first
        self._done(self.first)
        for record in self._left:
            game = _whole_game(record, self.count)
            same = game.rules().game
            if same.id != self.game.id or same.observation != self.game.observation:
                raise TabletopError(
                    f"record {self.count} is of {same.id} with {game.num_players} players: it has "
                    f"other observations than {self.game.id} with {self.first.num_players}; "
                    "export them apart"
                )
            yield game
            self._done(game)

    def _done(self, record: GameRecord) -> None:
        self.count += 1
        self.rows += len(record.decisions)
        if self._report is not None:
            self._report(self.count, self.rows)

    def exported(self) -> Exported:
        """What has been passed on."""
        return Exported(self.count, self.rows)


def _whole_game(record: AnyRecord, number: int) -> GameRecord:
    if not isinstance(record, GameRecord):
        raise TabletopError(f"record {number} is what one player saw; whole games are exported")
    if record.result is None:
        raise TabletopError(f"record {number} is of a game that is not over; play it to its end")
    return record


def _final_rewards(session: Session, record: GameRecord) -> list[float]:
    """What the end of a game pays each player, in the views too."""
    if record.illegal_action is None:
        return session.rewards()
    rewards = [0.0] * record.num_players
    rewards[record.illegal_action.player] = ILLEGAL_REWARD
    return rewards


def _optional_package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise TabletopError(
            f"this export needs {error.name or name}: {HOW_TO_GET_IT} ({error})"
        ) from None


# --- tables ----------------------------------------------------------------------------------


def export_table(
    records: Iterable[AnyRecord],
    path: str | os.PathLike[str],
    *,
    format: str = "parquet",
    reward: str = "win",
    observations: bool = True,
    force: bool = False,
    report: Report | None = None,
) -> Exported:
    """Write games as one table with a row for each decision; docs/records.md lists the columns.

    Args:
        records: whole games with the same actions and observations.
        path: of a new file, which appears complete or not at all.
        format: "parquet" or "arrow" (the file format of Arrow, also called Feather).
        reward: what a game pays at its end, "win", "score" or "margin".
        observations: whether there is a column of observations, by far the largest one.
        force: whether another file may be replaced.
        report: called after each game.

    Raises:
        TabletopError: a bad argument or record, a missing package, a file that cannot be written.
        RecordMismatch: a record is not true.
    """
    if format not in FORMATS:
        raise TabletopError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    arrow = _optional_package("pyarrow")
    games = _Games(records, reward, report)
    schema = _schema(arrow, games, observations)
    with new_file(path, force) as stream, _writer(format, stream, schema) as writer:
        pending: list[Any] = []
        for record in games:
            pending.append(_batch(arrow, schema, games, record))
            if sum(batch.num_rows for batch in pending) >= BATCH_ROWS:
                writer.write_table(arrow.Table.from_batches(pending, schema))
                pending = []
        writer.write_table(arrow.Table.from_batches(pending, schema))
    return games.exported()


def _writer(format: str, stream: BinaryIO, schema: Any) -> Any:
    if format == "parquet":
        parquet = _optional_package("pyarrow.parquet")
        return parquet.ParquetWriter(stream, schema, compression="zstd")
    return _optional_package("pyarrow.ipc").new_file(stream, schema)


def _schema(arrow: Any, games: _Games, observations: bool) -> Any:
    """The columns, as docs/records.md lists them."""
    columns = [
        ("game", arrow.int64()),
        ("step", arrow.int32()),
        ("player", arrow.int8()),
        ("action", arrow.int32()),
        ("words", arrow.string()),
        ("legal_actions", arrow.list_(arrow.int32())),
        ("final_reward", arrow.float64()),
        ("score", arrow.float64()),
        ("won", arrow.bool_()),
        ("truncated", arrow.bool_()),
        ("num_players", arrow.int8()),
        ("bot", arrow.string()),
        ("seed", arrow.uint64()),
        ("ruleset", arrow.string()),
        ("reason", arrow.string()),
    ]
    if observations:
        size = games.game.observation.size
        columns.append(("observation", arrow.list_(arrow.uint8(), size)))
    metadata = {
        "game": games.game.id,
        "num_actions": str(games.game.actions.count),
        "observation_size": str(games.game.observation.size),
        "reward": games.reward,
    }
    return arrow.schema(columns, metadata)


def _batch(arrow: Any, schema: Any, games: _Games, record: GameRecord) -> Any:
    """The rows of one game."""
    count = len(record.decisions)
    observations = np.empty((count, games.game.observation.size), np.uint8)
    legal: list[list[int]] = []
    for session in replay(record, games.reward):
        step = len(legal)
        if step < count:
            observations[step] = session.observation
        legal.append(session.legal_actions())
    assert record.result is not None
    players = [decision.player for decision in record.decisions]
    values = {
        "game": [games.count] * count,
        "step": range(count),
        "player": players,
        "action": [decision.action for decision in record.decisions],
        "words": [decision.words for decision in record.decisions],
        "legal_actions": legal[:count],
        "final_reward": _of_players(_final_rewards(session, record), players),
        "score": _of_players(record.result["scores"], players),
        "won": [player in record.result["winners"] for player in players],
        "truncated": [session.truncated and record.illegal_action is None] * count,
        "num_players": [record.num_players] * count,
        "bot": _of_players(record.players or [None] * record.num_players, players),
        "seed": [record.seed] * count,
        "ruleset": [record.ruleset] * count,
        "reason": [record.result["reason"]] * count,
    }
    arrays = [arrow.array(values[name], schema.field(name).type) for name in values]
    if len(schema) > len(arrays):
        flat = arrow.array(observations.reshape(-1))
        arrays.append(arrow.FixedSizeListArray.from_arrays(flat, observations.shape[1]))
    return arrow.RecordBatch.from_arrays(arrays, schema=schema)


def _of_players(values: Sequence[Any], players: Sequence[int]) -> list[Any]:
    return [values[player] for player in players]


# --- Minari ----------------------------------------------------------------------------------


def export_minari(
    records: Iterable[AnyRecord],
    folder: str | os.PathLike[str],
    *,
    seat: int | None = 0,
    reward: str = "win",
    report: Report | None = None,
) -> Exported:
    """Write games as a Minari data set: each game is an episode of the single-agent view.

    Observations are those of the view: {"observation", "action_mask"}. The reward is 0 but for the
    last step. `minari.MinariDataset(folder / "data")` reads it.

    Args:
        records: whole games with the same actions and observations.
        folder: a new folder, which appears complete or not at all.
        seat: whose episodes; None: one episode for each player who decided anything.
        reward: what a game pays at its end, "win", "score" or "margin".
        report: called after each game.

    Raises:
        TabletopError: a bad argument or record, a missing package, a folder that cannot be written.
        RecordMismatch: a record is not true.
    """
    minari = _optional_package("minari")
    storages = _optional_package("minari.dataset.minari_storage")
    _optional_package("minari.dataset._storages.hdf5_storage")
    games = _Games(records, reward, report)
    with _new_folder(folder) as part:
        data = part / "data"
        data.mkdir()
        storage = storages.MinariStorage.new(
            data,
            make_observation_space(games.game),
            make_action_space(games.game),
            _environment(games),
            data_format="hdf5",
        )
        storage.update_metadata(
            {
                "dataset_id": _dataset_id(Path(folder).name),
                "minari_version": minari.__version__,
                "description": f"Games of {games.game.title} ({games.game.id}), reward {reward!r}",
            }
        )
        storage.update_episodes(_episodes(games, seat))
    return games.exported()


def _episodes(games: _Games, seat: int | None) -> Iterator[Any]:
    buffers = _optional_package("minari.data_collector.episode_buffer")
    for record in games:
        if seat is not None and not 0 <= seat < record.num_players:
            raise TabletopError(
                f"record {games.count} has players 0 to {record.num_players - 1}, not {seat}"
            )
        seats = range(record.num_players) if seat is None else (seat,)
        for player, episode in zip(seats, _seen_by(record, seats, games.reward), strict=True):
            if len(episode["actions"]):
                yield buffers.EpisodeBuffer(
                    options={"player": player, "num_players": record.num_players}, **episode
                )


def _seen_by(record: GameRecord, seats: Sequence[int], reward: str) -> list[dict[str, Any]]:
    """The episode of each seat."""
    seen: dict[int, list[Array]] = {seat: [] for seat in seats}
    masks: dict[int, list[Array]] = {seat: [] for seat in seats}
    actions: dict[int, list[int]] = {seat: [] for seat in seats}
    answers = iter([*record.decisions, record.illegal_action])
    for session in replay(record, reward):
        answer = next(answers)
        if answer is not None and answer.player in seen:
            seen[answer.player].append(session.observation.copy())
            masks[answer.player].append(session.mask.copy())
            actions[answer.player].append(answer.action)
    rewards = _final_rewards(session, record)
    truncated = session.truncated and record.illegal_action is None
    episodes = []
    for seat in seats:
        seen[seat].append(session.observe(seat))
        masks[seat].append(np.zeros_like(session.mask))
        last = np.arange(1, len(seen[seat])) == len(actions[seat])
        episodes.append(
            {
                "observations": {
                    "observation": np.stack(seen[seat]),
                    "action_mask": np.stack(masks[seat]),
                },
                "actions": np.array(actions[seat], np.int64),
                "rewards": np.where(last, rewards[seat], 0.0),
                "terminations": last & (not truncated),
                "truncations": last & truncated,
            }
        )
    return episodes


def _environment(games: _Games) -> Any:
    """The spec of the single-agent view, so that Minari can make the environment again."""
    register_environments(games.game)
    options = games.ruleset.game.options_to_json(games.ruleset)
    default = games.ruleset.game.ruleset(games.ruleset.num_players)
    usual = default.game.options_to_json(default)
    chosen = {name: value for name, value in options.items() if value != usual[name]}
    if not all(isinstance(value, (str, int, bool, type(None))) for value in chosen.values()):
        return None  # own tables or decks: no spec can hold them
    spec = gymnasium.spec(environment_id(games.game))
    kwargs = {"num_players": games.first.num_players, "reward": games.reward, **chosen}
    return gymnasium.envs.registration.EnvSpec(
        id=spec.id, entry_point=spec.entry_point, kwargs={**spec.kwargs, **kwargs}
    )


def _dataset_id(name: str) -> str:
    """A name as Minari takes it, which ends with a version."""
    words = re.sub(r"[^-a-zA-Z0-9_]", "-", name)
    return words if re.fullmatch(r".+-v\d+", words) else f"{words}-v0"


class _new_folder:
    """A folder that gets its name when everything is in it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._name = path_text(folder)
        self._target = Path(folder)
        self._part = self._target.with_name(f".{secrets.token_hex(8)}.part")

    def __enter__(self) -> Path:
        if os.path.lexists(self._target):
            raise TabletopError(f"{self._name} exists already; give the name of a new folder")
        try:
            self._part.mkdir()
        except OSError as error:
            raise TabletopError(f"{self._name} cannot be written: {reason(error)}") from None
        return self._part

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        try:
            if kind is None:
                os.rename(self._part, self._target)
        except OSError as error:
            raise TabletopError(f"{self._name} cannot be written: {reason(error)}") from None
        finally:
            shutil.rmtree(self._part, ignore_errors=True)
