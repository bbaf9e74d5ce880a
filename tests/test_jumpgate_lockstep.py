"""Jump Gate twice at once: the environment and the slow reference play the same games in step.

Both get the same rules, the same seed and the same randomly chosen actions. At every decision they
must offer the same actions, and at randomly chosen ones (and always at the end) agree on every word
of the position, the text of every action and the points. A game that shows a difference is played
again with all comparisons at every decision, so that the report names the first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from jumpgate_options import NUM_PLAYERS, random_options
from reference import jumpgate as slow

from jumpgate_env import components, sizes
from jumpgate_env.jumpgate_v0 import GAME
from jumpgate_env.options import Choice, Flag, Options, option_texts, validate
from tabletop_core import engine
from tabletop_core.game import Ruleset
from tabletop_core.session import TRUNCATED, Session

DATA = Path(str(files("jumpgate_env"))) / "data"
DECKS = {
    "default": slow.Tables.load(DATA / "default.ruleset"),
    "eights": slow.Tables.load(DATA / "default.ruleset", DATA / "deck_eights.ruleset"),
    "nothing2010": slow.Tables.load(DATA / "default.ruleset", DATA / "deck_nothing2010.ruleset"),
}

# Share of the decisions at which the whole position is compared, and at which each side reads what
# the other one wrote and goes on from there.
COMPARED = 0.1
EXCHANGED = 0.004

# With equal chances ships fly about for hundreds of turns. So what brings a game on is preferred,
# and every game deviates from that in its own way.
PREFERENCES = {"pass": 0.1, "fly": 0.5, "research": 0.5, "scan": 4.0, "harvest": 4.0, "claim": 8.0}
DEVIATIONS = (0.1, 1.0, 1.0, 4.0)


@dataclass(frozen=True)
class Case:
    """One game, from which everything about it follows."""

    num_players: int
    options: dict[str, Any]
    seed: int
    ruleset_file: Path | None = None

    def ruleset(self) -> Ruleset:
        tables = {} if self.ruleset_file is None else {"ruleset": self.ruleset_file}
        return GAME.ruleset(self.num_players, **self.options, **tables)

    def slow_tables(self) -> slow.Tables:
        if self.ruleset_file is not None:
            return slow.Tables.load(self.ruleset_file)
        return DECKS[self.options.get("deck", "default")]


@dataclass
class Seen:
    """What the games of a test have met."""

    decisions: int = 0
    comparisons: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    end_reasons: Counter[str] = field(default_factory=Counter)


class Pair:
    """One game on both sides; raises AssertionError where they differ."""

    def __init__(self, case: Case, seen: Seen, compared: float = COMPARED) -> None:
        self.seen = seen
        self.compared = compared
        self.tables = case.slow_tables()
        self.options = case.options
        self.fast = Session(case.ruleset())
        self.fast.reset(case.seed)
        self.slow = slow.Game(self.tables, case.options, case.num_players, case.seed)
        self.slow.ruleset_hex = f"{self.fast.ruleset.digest:016x}"
        # Separate generators, so that more comparisons do not change the game.
        self.chooser = Random(f"{case.seed} actions")
        self.sampler = Random(f"{case.seed} comparisons")
        self.exchanger = Random(f"{case.seed} exchanges")
        self.preferences = {
            name: PREFERENCES.get(name, 1.0) * self.chooser.choice(DEVIATIONS)
            for name in slow.ACTION_BLOCKS
        }
        self.compare_positions()

    @property
    def is_over(self) -> bool:
        return self.slow.is_over

    def step(self) -> None:
        """Compare what is legal, play an action on both sides; now and then compare all."""
        legal = self.slow.legal_action_ids()
        assert self.fast.legal_actions() == legal
        assert self.fast.current_player == self.slow.current_player
        action = self.choose(legal)
        assert self.fast.action_to_string(action) == self.slow.action_text(action)
        self.seen.decisions += 1
        self.seen.prompts[self.slow.prompt] += 1
        self.seen.blocks[slow.ALL_ACTIONS[action][0]] += 1
        self.fast.step(action)
        self.slow.apply_id(action)
        assert self.fast.is_over == self.slow.is_over
        if self.is_over:
            self.compare_ends()
        if self.is_over or self.sampler.random() < self.compared:
            self.compare_positions()
        if self.exchanger.random() < EXCHANGED:
            self.exchange_positions()

    def choose(self, legal: list[int]) -> int:
        """First a block, then one of its actions: there are many flights but one scan."""
        blocks: dict[str, list[int]] = {}
        for action in legal:
            blocks.setdefault(slow.ALL_ACTIONS[action][0], []).append(action)
        weights = [self.preferences[block] for block in blocks]
        return self.chooser.choice(*self.chooser.choices(list(blocks.values()), weights))

    def compare_positions(self) -> None:
        """Every word of the position, the text of every action, points, conservation (§11)."""
        position = self.fast.to_json()
        assert position == self.slow.to_json()
        for action in range(GAME.actions.count):
            assert self.fast.action_to_string(action) == self.slow.action_text(action)
        points, is_winner = self.fast_result()
        assert points == self.slow.scores()
        assert is_winner == self.slow.winners()
        copy = slow.Game.from_json(self.tables, self.options, position)
        assert copy.conservation_errors() == []
        self.seen.comparisons += 1

    def fast_result(self) -> tuple[list[float], list[int]]:
        """Points and winners of the position as it stands."""
        points = np.zeros(self.fast.num_players)
        is_winner = np.zeros(self.fast.num_players, np.bool_)
        engine.finish_one(self.fast.ruleset.record, self.fast.state, points, is_winner)
        return points.tolist(), np.flatnonzero(is_winner).tolist()

    def exchange_positions(self) -> None:
        """Each side reads what the other one wrote and goes on from there; nothing may be lost."""
        for action in range(GAME.actions.count):
            assert self.fast.string_to_action(self.slow.action_text(action)) == action
        from_slow, from_fast = self.slow.to_json(), self.fast.to_json()
        before = self.fast.serialize()
        self.fast.from_json(from_slow)
        assert self.fast.serialize() == before
        self.slow = slow.Game.from_json(self.tables, self.options, from_fast)

    def compare_ends(self) -> None:
        """§7 reasons, §8 points and winners, rewards of all kinds."""
        reasons = self.slow.end_reasons or [TRUNCATED]
        assert self.fast.result() == {
            "winners": self.slow.winners(),
            "scores": self.slow.scores(),
            "reason": "+".join(reasons),
            "length": self.slow.decision_count,
        }
        assert self.fast.truncated == self.slow.is_truncated
        assert self.fast.terminated != self.slow.is_truncated
        for mode in engine.REWARD_MODES:
            session = Session(self.fast.ruleset, mode)
            session.restore(self.fast)
            assert session.rewards() == self.slow.returns(mode)
        self.seen.end_reasons.update(reasons)


def play(cases: list[Case], seen: Seen, compared: float = COMPARED) -> None:
    """Play the games of all cases side by side, one decision of each in turn."""
    pairs = [Pair(case, seen, compared) for case in cases]
    while running := [pair for pair in pairs if not pair.is_over]:
        for pair in running:
            try:
                pair.step()
            except Exception as error:
                case = cases[pairs.index(pair)]
                error.add_note(f"{case} after decision {pair.slow.decision_count}")
                raise


def play_carefully(cases: list[Case], seen: Seen) -> None:
    """Play; if the sides differ, play again to find the very first difference."""
    try:
        play(cases, seen)
    except Exception:
        play(cases, seen, compared=1.0)
        raise


# --- the shipped rules with all options -----------------------------------------------------------


def random_cases(name: str, num_players: int) -> Iterator[Case]:
    rng = Random(name)
    while True:
        yield Case(num_players, random_options(rng, num_players), rng.randrange(2**64))


def check_random_games(name: str, num_players: int, decisions: int) -> Seen:
    """Games with random options until so many decisions have been compared."""
    seen = Seen()
    cases = random_cases(name, num_players)
    while seen.decisions < decisions:
        play_carefully([next(cases)], seen)
    return seen


@pytest.mark.parametrize("num_players", NUM_PLAYERS)
def test_random_games(num_players: int) -> None:
    """§2 to §8 and all options of §10."""
    seen = check_random_games(f"{num_players} players", num_players, decisions=55_000)
    assert seen.comparisons > seen.decisions * COMPARED / 2
    assert set(seen.blocks) == set(slow.ACTION_BLOCKS)
    assert set(seen.prompts) == set(GAME.prompts) - {"over"}
    assert set(seen.end_reasons) == {*GAME.end_reasons, TRUNCATED}


@pytest.mark.long
@pytest.mark.parametrize("part", range(25))
@pytest.mark.parametrize("num_players", NUM_PLAYERS)
def test_many_random_games(num_players: int, part: int) -> None:
    check_random_games(f"{num_players} players, part {part}", num_players, decisions=50_000)


def test_random_options_cover_all() -> None:
    """Every option takes every value it has, and every set is valid."""
    rng = Random("options")
    values: dict[str, set[Any]] = {option.name: set() for option in fields(Options)}
    for num_players in NUM_PLAYERS * 200:
        options = validate(Options(**random_options(rng, num_players)), num_players)
        for name in values:
            values[name].add(getattr(options, name))
    del values["ruleset"]
    for name, seen in values.items():
        allowed = option_texts()[name].values
        if isinstance(allowed, Flag):
            assert seen == {False, True}
        elif isinstance(allowed, Choice):
            assert seen == set(allowed.words)
        else:
            assert len(seen) > 3, name


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


def test_two_rulesets_in_one_process(tmp_path: Path) -> None:
    """§1: games by different tables, stepped in turn, do not disturb each other."""
    seen = Seen()
    rng = Random("tables")
    while seen.decisions < 40_000:
        paths = [tmp_path / f"{side}-{seen.decisions}.ruleset" for side in ("one", "other")]
        play_carefully([case_with_tables(rng, path) for path in paths], seen)
    assert set(seen.blocks) == set(slow.ACTION_BLOCKS)
    assert set(seen.end_reasons) == {*GAME.end_reasons, TRUNCATED}
