"""Junk Orbit twice at once: the environment and the slow reference play the same games in step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
from junkorbit_options import NUM_PLAYERS, random_options
from lockstep import Case, Contest, Seen, check_all_was_met, check_games
from option_checks import check_every_value_is_met
from reference import junkorbit as slow

from junkorbit_env import components, sizes
from junkorbit_env.junkorbit_v0 import GAME
from junkorbit_env.options import Options, validate
from tabletop_core.session import TRUNCATED

DATA = Path(str(files("junkorbit_env"))) / "data"
LAYOUTS = {
    layout: slow.Tables.load(
        DATA / "default.ruleset",
        None if layout == "default" else DATA / f"layout_{layout}.ruleset",
    )
    for layout in components.LAYOUTS
}


def slow_tables(case: Case) -> slow.Tables:
    if case.ruleset_file is not None:
        return slow.Tables.load(case.ruleset_file)
    return LAYOUTS[case.options.get("layout", "default")]


# Tiles are mostly given up from the cargo, and delivering is preferred to keeping.
CONTEST = Contest(
    GAME,
    slow,
    slow_tables,
    preferences={"delivered": 0.5, "done": 0.5},
)


# --- the shipped rules with all options -----------------------------------------------------------


def random_cases(name: str, num_players: int) -> Iterator[list[Case]]:
    rng = Random(name)
    while True:
        yield [Case(num_players, random_options(rng), rng.randrange(2**64))]


def check_random_games(name: str, num_players: int, decisions: int) -> Seen:
    return check_games(CONTEST, random_cases(name, num_players), decisions)


@pytest.mark.parametrize("num_players", NUM_PLAYERS)
def test_random_games(num_players: int) -> None:
    """§4 to §8 and all options."""
    seen = check_random_games(f"{num_players} players", num_players, decisions=50_000)
    check_all_was_met(CONTEST, seen)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("num_players", NUM_PLAYERS)
def test_many_random_games(num_players: int, part: int) -> None:
    check_random_games(f"{num_players} players, part {part}", num_players, decisions=30_000)


def test_random_options_cover_all() -> None:
    rng = Random("options")
    check_every_value_is_met(
        validate(Options(**random_options(rng)), num_players) for num_players in NUM_PLAYERS * 100
    )


# --- other tables ---------------------------------------------------------------------------------


def random_tables(rng: Random) -> components.Tables:
    """Valid tables (§1.4, §2.4) with other names, places, destinations, marks and values."""
    tables = components.load_tables()
    tables = replace(tables, name=f"random {rng.randrange(1000)}", rings=random_rings(rng))
    # Few values or destinations make many equal tiles; high marks make small stacks.
    values = rng.sample(range(1, sizes.MAX_VALUE + 1), rng.choice((1, 2, 4, 12)))
    highest_mark = rng.choice((2, 2, 3, 5))
    tiles = tuple(
        random_tile(rng, tables, stack, values, highest_mark)
        for stack, size in enumerate(sizes.STACK_SIZES)
        for _ in range(size)
    )
    return replace(tables, tiles=with_required_tiles(tiles))


def random_rings(rng: Random) -> tuple[tuple[str, ...], ...]:
    """The cities of each ring in another order, and other names for most of them."""
    fixed = {*components.TRANSFER_CITIES, components.START_CITY, "Tharsis", "Hamilton"}
    names = {
        city: city if city in fixed else f"{rng.choice(('Port', 'Neu-Ulm', 'x'))} {number}"
        for number, city in enumerate(components.load_tables().cities)
    }
    rings = []
    for cities in components.load_tables().rings:
        ring = [names[city] for city in cities]
        rng.shuffle(ring)
        rings.append(tuple(ring))
    return tuple(rings)


def random_tile(
    rng: Random, tables: components.Tables, stack: int, values: list[int], highest_mark: int
) -> components.Tile:
    """A tile that leaves the boards that its stack fills."""
    number = rng.choice(
        [city for city, home in enumerate(tables.homes) if components.BOARD_STACKS[home] != stack]
    )
    fewest = components.BOARD_PLAYERS[tables.homes[number]]
    mark = rng.randint(fewest, max(fewest, highest_mark))
    return components.Tile(stack, tables.cities[number], mark, rng.choice(values))


def with_required_tiles(tiles: tuple[components.Tile, ...]) -> tuple[components.Tile, ...]:
    """§2.4: a 4 to Tharsis from Earth or Moon, and two tiles to Hamilton."""
    earth, mars = sizes.STACK_NAMES.index("EARTH"), sizes.STACK_NAMES.index("MARS")
    return (
        components.Tile(earth, "Tharsis", 2, 4),
        components.Tile(earth, "Hamilton", 2, 2),
        *tiles[2:-1],
        components.Tile(mars, "Hamilton", 2, 3),
    )


def cases_with_tables(rng: Random, folder: Path) -> Iterator[list[Case]]:
    """Two games at a time by random tables, which are written to files."""
    for number in range(10**6):
        cases = []
        for side in ("one", "other"):
            path = folder / f"{side}-{number}.ruleset"
            path.write_text(components.tables_to_text(random_tables(rng)), encoding="utf-8")
            options = random_options(rng)
            options.pop("layout", None)  # a file brings its own rings
            cases.append(Case(rng.choice(NUM_PLAYERS), options, rng.randrange(2**64), path))
        yield cases


def test_two_rulesets_in_one_process(tmp_path: Path) -> None:
    """Games by different tables, stepped in turn, do not disturb each other."""
    seen = check_games(CONTEST, cases_with_tables(Random("tables"), tmp_path), decisions=20_000)
    assert set(seen.blocks) == set(slow.ACTION_BLOCKS)
    assert set(seen.end_reasons) == {*GAME.end_reasons, TRUNCATED}


@pytest.mark.long
@pytest.mark.parametrize("part", range(5))
def test_many_other_rulesets(part: int, tmp_path: Path) -> None:
    check_games(CONTEST, cases_with_tables(Random(f"tables {part}"), tmp_path), decisions=30_000)
