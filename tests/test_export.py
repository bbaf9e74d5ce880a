"""Data sets made of records: tables by PyArrow, Minari data sets of single seats."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest
import toy_game

from tabletop_core import export
from tabletop_core.errors import TabletopError
from tabletop_core.export import Exported, export_minari, export_table
from tabletop_core.game import find_game
from tabletop_core.record import (
    Decision,
    GameRecord,
    RecordMismatch,
    record_of,
    replay,
    view_record,
)
from tabletop_core.rollouts import random_records
from tabletop_core.session import Session

TOY = toy_game.GAME.ruleset(3, max_turns=12)
NUM_GAMES = 5


def toy_records(num_games: int = NUM_GAMES, seed: int = 4) -> list[GameRecord]:
    return list(random_records(TOY, num_games, seed=seed))


def read_table(path: Path) -> Any:
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path)
    with pyarrow.ipc.open_file(path) as file:
        return file.read_all()


def illegal_record() -> GameRecord:
    """A game that its first player ends by passing on an empty pile."""
    session = Session(TOY)
    session.start_recording()
    session.reset(1)
    assert session.log is not None
    session.log.illegal_action = toy_game.PASS
    return record_of(session)


# --- tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_table_has_a_row_for_each_decision(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BATCH_ROWS", 16)
    records = toy_records()
    path = tmp_path / f"games.{format}"
    seen: list[tuple[int, int]] = []
    written = export_table(
        iter(records), path, format=format, report=lambda games, rows: seen.append((games, rows))
    )
    rows = read_table(path).to_pylist()
    assert written == Exported(NUM_GAMES, len(rows))
    assert seen[-1] == (written.games, written.rows)
    expected = [
        (number, step, session, decision, record)
        for number, record in enumerate(records)
        for step, (session, decision) in enumerate(zip(replay(record), record.decisions))
        if check_row(rows.pop(0), number, step, session, decision, record)
    ]
    assert len(expected) == written.rows
    assert rows == []


def check_row(
    row: dict[str, Any],
    number: int,
    step: int,
    session: Session,
    decision: Decision,
    record: GameRecord,
) -> bool:
    assert record.result is not None
    player = decision.player
    won = player in record.result["winners"]
    losers = record.num_players - len(record.result["winners"])
    share = losers / len(record.result["winners"])
    return row == {
        "game": number,
        "step": step,
        "player": player,
        "action": decision.action,
        "words": decision.words,
        "legal_actions": session.legal_actions(),
        "final_reward": share if won and losers else -1.0 * (losers > 0),
        "score": record.result["scores"][player],
        "won": won,
        "truncated": record.result["reason"] == "max_turns",
        "num_players": 3,
        "bot": "random",
        "seed": record.seed,
        "ruleset": record.ruleset,
        "reason": record.result["reason"],
        "observation": session.observation.tolist(),
    }


def test_a_table_is_written_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are asked for one by one, and rows leave the memory when there are enough of them."""
    monkeypatch.setattr(export, "BATCH_ROWS", 16)
    path = tmp_path / "games.parquet"
    export_table(iter(toy_records()), path)
    groups = pyarrow.parquet.ParquetFile(path)
    assert groups.num_row_groups > 2
    assert groups.schema_arrow.metadata[b"game"] == b"climb_v0"


def test_observations_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    export_table(toy_records(1), path, observations=False, reward="score")
    table = read_table(path)
    assert "observation" not in table.column_names
    assert table["final_reward"].to_pylist() == table["score"].to_pylist()


def test_an_illegal_action_costs_its_player(tmp_path: Path) -> None:
    first = toy_records(1)[0]
    path = tmp_path / "games.parquet"
    record = illegal_record()
    assert record.illegal_action is not None
    assert export_table([first, record], path).games == 2
    folder = tmp_path / "set-v0"
    assert export_minari([record], folder, seat=record.illegal_action.player).games == 1
    (episode,) = minari.MinariDataset(folder / "data")
    assert episode.rewards.tolist() == [-1.0]
    assert episode.terminations.tolist() == [True]
    assert episode.actions.tolist() == [toy_game.PASS]


@pytest.mark.parametrize("export_games", [export_table, export_minari])
def test_records_that_cannot_be_exported_are_refused(tmp_path: Path, export_games: Any) -> None:
    path = tmp_path / "games"
    (game,) = toy_records(1)
    other = list(random_records(toy_game.GAME.ruleset(2), 1))
    begun = replace(game, result=None)
    for records, message in (
        ([], "there is no record"),
        ([view_record(game, 0)], "record 0 is what one player saw"),
        ([game, begun], "record 1 is of a game that is not over"),
        ([game, *other], "record 1 is of climb_v0 with 2 players"),
    ):
        with pytest.raises(TabletopError, match=message):
            export_games(records, path)
    with pytest.raises(RecordMismatch):
        export_games([game, replace(game, final="0" * 32)], path)
    with pytest.raises(TabletopError, match="reward must be one of"):
        export_games([game], path, reward="luck")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    path.write_text("precious")
    for export_games in (export_table, export_minari):
        with pytest.raises(TabletopError, match="exists already"):
            export_games(toy_records(1), path)  # type: ignore[operator]
    assert path.read_text() == "precious"
    export_table(toy_records(1), path, force=True)
    assert read_table(path).num_rows > 0
    with pytest.raises(TabletopError, match="cannot be written"):
        export_minari(toy_records(1), tmp_path / "no" / "folder")


@pytest.mark.parametrize(
    ("package", "export_games"),
    [("pyarrow", export_table), ("minari", export_minari), ("h5py", export_minari)],
)
def test_a_missing_package_is_named(
    tmp_path: Path, package: str, export_games: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "minari.dataset._storages.hdf5_storage", raising=False)
    with pytest.raises(TabletopError, match=r'pip install "tabletop-envs\[data\]"'):
        export_games(toy_records(1), tmp_path / "games")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TabletopError, match="format must be one of parquet, arrow"):
        export_table(toy_records(1), tmp_path / "games.csv", format="csv")


# --- Minari ----------------------------------------------------------------------------------


def junk_records(num_games: int = 3) -> Iterator[GameRecord]:
    return random_records(find_game("junkorbit").ruleset(3, max_turns=6), num_games, seed=2)


def test_a_minari_data_set_is_the_single_agent_view(tmp_path: Path) -> None:
    """The bots of a record as opponents, the actions of an episode: the same view again."""
    folder = tmp_path / "orbit-v0"
    assert export_minari(junk_records(), folder, seat=1, reward="score").games == 3
    dataset = minari.MinariDataset(folder / "data")
    assert dataset.total_episodes == 3
    env: Any = dataset.recover_environment().unwrapped
    assert env.session.num_players == 3
    for episode, record in zip(dataset, junk_records(), strict=True):
        check_episode(env, episode, record, seat=1)


def check_episode(env: Any, episode: Any, record: GameRecord, seat: int) -> None:
    assert record.result is not None
    own = [decision.action for decision in record.decisions if decision.player == seat]
    assert episode.actions.tolist() == own
    assert episode.rewards[-1] == record.result["scores"][seat]
    assert not episode.rewards[:-1].any()
    assert episode.truncations.tolist() == [False] * (len(own) - 1) + [True]
    assert not episode.terminations.any()
    observations, masks = (episode.observations[key] for key in ("observation", "action_mask"))
    assert len(observations) == len(masks) == len(own) + 1
    assert env.observation_space.contains({"observation": observations[0], "action_mask": masks[0]})
    assert not masks[-1].any()
    steps = iter(range(len(own)))
    for session, decision in zip(replay(record), record.decisions):
        if decision.player == seat:
            step = next(steps)
            np.testing.assert_array_equal(observations[step], session.observation)
            np.testing.assert_array_equal(masks[step], session.mask)


def test_a_minari_data_set_may_have_every_seat(tmp_path: Path) -> None:
    folder = tmp_path / "every seat"
    export_minari(junk_records(2), folder, seat=None)
    dataset = minari.MinariDataset(folder / "data")
    assert dataset.total_episodes == 6
    assert dataset.total_steps == sum(len(record.decisions) for record in junk_records(2))
    assert dataset.spec.dataset_id == "every-seat-v0"


def test_an_unknown_seat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TabletopError, match="record 0 has players 0 to 2, not 3"):
        export_minari(toy_records(1), tmp_path / "games", seat=3)
    assert list(tmp_path.iterdir()) == []
