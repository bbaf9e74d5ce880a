"""Jump Gate twice at once: the environment and the slow reference play the same games in step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
from jumpgate_options import NUM_PLAYERS, random_options
from jumpgate_positions import PREFERENCES
from lockstep import Case, Contest, Seen, check_all_was_met, check_games
from option_checks import check_every_value_is_met
from reference import jumpgate as slow

from jumpgate_env import components, sizes
from jumpgate_env.jumpgate_v0 import GAME
from jumpgate_env.options import Options, validate
from tabletop_core.session import TRUNCATED

DATA = Path(str(files("jumpgate_env"))) / "data"
DECKS = {
    "default": slow.Tables.load(DATA / "default.ruleset"),
    "eights": slow.Tables.load(DATA / "default.ruleset", DATA / "deck_eights.ruleset"),
    "nothing2010": slow.Tables.load(DATA / "default.ruleset", DATA / "deck_nothing2010.ruleset"),
}


def slow_tables(case: Case) -> slow.Tables:
    if case.ruleset_file is not None:
        return slow.Tables.load(case.ruleset_file)
    return DECKS[case.options.get("deck", "default")]


CONTEST = Contest(GAME, slow, slow_tables, preferences=PREFERENCES, read_actions=GAME.actions.count)


# --- the shipped rules with all options -----------------------------------------------------------


def random_cases(name: str, num_players: int) -> Iterator[list[Case]]:
    rng = Random(name)
    while True:
        yield [Case(num_players, random_options(rng, num_players), rng.randrange(2**64))]


def check_random_games(name: str, num_players: int, decisions: int) -> Seen:
    return check_games(CONTEST, random_cases(name, num_players), decisions)


@pytest.mark.parametrize("num_players", NUM_PLAYERS)
def test_random_games(num_players: int) -> None:
    """§2 to §8 and all options of §10."""
    seen = check_random_games(f"{num_players} players", num_players, decisions=45_000)
    check_all_was_met(CONTEST, seen)


@pytest.mark.long
@pytest.mark.parametrize("part", range(25))
@pytest.mark.parametrize("num_players", NUM_PLAYERS)
def test_many_random_games(num_players: int, part: int) -> None:
    check_random_games(f"{num_players} players, part {part}", num_players, decisions=50_000)


def test_random_options_cover_all() -> None:
    rng = Random("options")
    check_every_value_is_met(
        validate(Options(**random_options(rng, num_players)), num_players)
        for num_players in NUM_PLAYERS * 200
    )


# --- other tables ---------------------------------------------------------------------------------


def random_tables(rng: Random) -> components.Tables:
    """Valid tables with other numbers everywhere; enough cards for two hidden ones each (§2)."""
    points = [sorted(rng.randint(1, 99) for _ in range(sizes.NUM_CARDS)) for _ in range(2)]
    return replace(
        components.load_tables(),
        name=f"random {rng.randrange(1000)}",
        ring_sizes=tuple(sorted(rng.randint(3, sizes.MAX_PLANETS) for _ in NUM_PLAYERS)),
        planets=tuple(random_planet(rng, number) for number in range(sizes.NUM_PLANET_CARDS)),
        navigation=tuple(random_navigation_card(rng, number) for number in range(sizes.NUM_CARDS)),
        resources=random_resources(rng),
        sand_points=(0, *points[0]),
        water_points=(0, *points[1]),
        fame_value=rng.randint(0, 20),
        energel_pair_value=rng.randint(0, 20),
        energel_single_value=rng.randint(0, 20),
    )


def random_planet(rng: Random, number: int) -> components.PlanetCard:
    codes = [rng.randint(sizes.MIN_CODE, sizes.MAX_CODE) for _ in range(4)]
    return components.PlanetCard(f"P{number + 1:02d}", *codes)


def random_navigation_card(rng: Random, number: int) -> components.NavCard:
    numbers_and_wildcard = (*range(sizes.MIN_CODE, sizes.MAX_CODE + 1), sizes.WILDCARD)
    codes = [rng.choice(numbers_and_wildcard) for _ in range(3)]
    codes[rng.randrange(3)] = sizes.NO_CODE
    return components.NavCard(f"N{number + 1:02d}", *codes)


def random_resources(rng: Random) -> tuple[components.ResourceCard, ...]:
    """Some types more often than others; at least twelve cards are never dealt again (§2.3)."""
    frequencies = [rng.choice((1, 1, 2, 30)) for _ in range(sizes.NOTHING + 1)]
    types = rng.choices(range(sizes.FAME), frequencies[: sizes.FAME], k=12)
    types += rng.choices(range(sizes.NOTHING + 1), frequencies, k=sizes.NUM_CARDS - len(types))
    rng.shuffle(types)
    icon_rate = rng.choice((0.1, 0.3))
    icons = [type_ != sizes.NOTHING and rng.random() < icon_rate for type_ in types]
    return tuple(
        components.ResourceCard(f"R{number:02d}", type_, has_icon)
        for number, (type_, has_icon) in enumerate(zip(types, icons, strict=True), start=1)
    )


def case_with_tables(rng: Random, path: Path) -> Case:
    """A game by random tables, which are written to `path`."""
    path.write_text(components.tables_to_text(random_tables(rng)), encoding="utf-8")
    num_players = rng.choice(NUM_PLAYERS)
    options = random_options(rng, num_players)
    options.pop("deck", None)  # a file brings its own resource cards
    for name in {"hidden_per_player", "two_player_hidden"} & set(options):
        options[name] = rng.randint(0, 2)
    return Case(num_players, options, rng.randrange(2**64), path)


def cases_with_tables(rng: Random, folder: Path) -> Iterator[list[Case]]:
    """Two games at a time by random tables, which are written to files."""
    for number in range(10**6):
        paths = [folder / f"{side}-{number}.ruleset" for side in ("one", "other")]
        yield [case_with_tables(rng, path) for path in paths]


def test_two_rulesets_in_one_process(tmp_path: Path) -> None:
    """§1: games by different tables, stepped in turn, do not disturb each other."""
    seen = check_games(CONTEST, cases_with_tables(Random("tables"), tmp_path), decisions=30_000)
    assert set(seen.blocks) == set(slow.ACTION_BLOCKS)
    assert set(seen.end_reasons) == {*GAME.end_reasons, TRUNCATED}
