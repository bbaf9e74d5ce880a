"""Golden playthroughs: whole games as readable text, one folder for each game in playthroughs/.

A playthrough shows every decision and, after each turn, the open table. The test plays the
decisions of the text again and compares the text word by word. A changed playthrough means a
changed game: read the difference before it is accepted. To write all of them anew, or those of a
new game after a line for each in `PLAYTHROUGHS`:

    python tests/test_playthroughs.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tabletop_core.game import find_game, games
from tabletop_core.session import Session

FOLDER = Path(__file__).with_name("playthroughs")
DECISION = re.compile(r"player (\d+) \| (\w+) \| (\d+) legal \| (.+)")


@dataclass(frozen=True)
class Playthrough:
    """One game, from which everything about it follows; its actions are in the file."""

    game: str
    name: str
    num_players: int
    seed: int
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return FOLDER / self.game / f"{self.name}.txt"


OTHER_RULES = {
    "deck": "nothing2010",
    "mark_scope": "per_planet",
    "landing_rule": "equal_pair",
    "fly_from_gate": True,
    "scan_cost": "any_card",
    "harvest_cost": "any_card_if_unmarked",
    "blackhole_limit": 9,
    "tie_break": "fewest_blackhole_then_planets",
}
PLAYTHROUGHS = [
    Playthrough("jumpgate_v0", "two_players", 2, 6),
    Playthrough("jumpgate_v0", "three_players_other_rules", 3, 96, OTHER_RULES),
    Playthrough("jumpgate_v0", "five_players", 5, 208),
    Playthrough("junkorbit_v0", "two_players", 2, 29),
    Playthrough("junkorbit_v0", "three_players_powers", 3, 373, {"ship_powers": "B"}),
    Playthrough("junkorbit_v0", "five_players", 5, 311),
    Playthrough("stargate_v0", "carter_tealc", 2, 11, {"decks": ["carter", "tealc"]}),
    Playthrough("stargate_v0", "jackson_apophis", 2, 12, {"decks": ["jackson", "apophis"]}),
    Playthrough("stargate_v0", "oneill_baal", 2, 13, {"decks": ["oneill", "baal"]}),
    Playthrough("stargate_v0", "three_players", 3, 16, {"decks": ["oneill", "doran", "yu"]}),
]

# How much likelier than 1 a player chooses among actions of a block, so that games get somewhere.
PREFERENCES = {
    "jumpgate_v0": {
        "pass": 0,
        "claim": 1_000,
        "harvest": 300,
        "scan": 100,
        "research": 2,
        "fly": 1,
        "jump": 4,
        "decline": 0.1,
    },
    "junkorbit_v0": {"done": 0.1},
    "stargate_v0": {
        "pass": 0.3,
        "yes": 3,
        "play": 3,
        "assign": 4,
        "boost": 2,
        "complicate": 0.2,
        "score": 5,
        "let_die": 0.3,
    },
}

Choose = Callable[[Session], int]


# --- as text --------------------------------------------------------------------------------------


def playthrough_text(playthrough: Playthrough, choose: Choose) -> str:
    """The game as `choose` plays it."""
    game = find_game(playthrough.game)
    session = Session(game.ruleset(playthrough.num_players, **playthrough.options))
    session.reset(playthrough.seed)
    lines = [
        f"{game.title}: a playthrough",
        "",
        f"game: {game.id}",
        f"players: {playthrough.num_players}",
        f"seed: {playthrough.seed}",
        f"options: {json.dumps(playthrough.options)}",
        "",
        *table_lines(session),
        *decision_lines(session, choose),
        *result_lines(session),
    ]
    return "\n".join(lines) + "\n"


def decision_lines(session: Session, choose: Choose) -> Iterator[str]:
    """One line for each decision, and the table after each turn and at the end."""
    while not session.is_over:
        action = choose(session)
        prompt = session.game.prompts[int(session.state[0].prompt)]
        legal = len(session.legal_actions())
        words = session.action_to_string(action)
        yield f"player {session.current_player} | {prompt} | {legal} legal | {words}"
        turn_count = session.turn_count
        session.step(action)
        if session.turn_count != turn_count or session.is_over:
            yield ""
            yield from table_lines(session)


def table_lines(session: Session) -> Iterator[str]:
    for line in session.render().splitlines():
        yield f"    {line}".rstrip()
    yield ""


def result_lines(session: Session) -> Iterator[str]:
    result = session.result()
    yield f"winners: {', '.join(f'player {player}' for player in result['winners'])}"
    yield f"scores: {', '.join(f'{score:g}' for score in result['scores'])}"
    yield f"reason: {result['reason']}"
    yield f"decisions: {result['length']}"


# --- who plays ------------------------------------------------------------------------------------


def by_preference(game: str, seed: int) -> Choose:
    """First a block of the action table, by its preference, then one of its legal actions."""
    rng = Random(seed)
    weights = PREFERENCES.get(game, {})

    def choose(session: Session) -> int:
        blocks: dict[str, list[int]] = {}
        for action in session.legal_actions():
            blocks.setdefault(session.game.actions.block_of(action)[0].name, []).append(action)
        chances = [weights.get(name, 1) for name in blocks]
        return rng.choice(rng.choices(list(blocks.values()), chances)[0])

    return choose


def as_written(text: str) -> Choose:
    """The actions of a playthrough in their order."""
    actions = (found[4] for line in text.splitlines() if (found := DECISION.fullmatch(line)))

    def choose(session: Session) -> int:
        return session.string_to_action(next(actions))

    return choose


def write_playthrough(playthrough: Playthrough) -> None:
    """Play a game and keep it as text."""
    text = playthrough_text(playthrough, by_preference(playthrough.game, playthrough.seed))
    playthrough.path.parent.mkdir(parents=True, exist_ok=True)
    playthrough.path.write_text(text, "utf-8")


# --- tests ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda item: f"{item.game}-{item.name}")
def test_playthrough(playthrough: Playthrough) -> None:
    text = playthrough.path.read_text("utf-8")
    assert playthrough_text(playthrough, as_written(text)) == text


def test_playthroughs_are_complete() -> None:
    """Every game of this project has three, and there is no file that is not tested."""
    assert set(FOLDER.rglob("*.txt")) == {playthrough.path for playthrough in PLAYTHROUGHS}
    for name, game in games().items():
        if not game.module.partition(".")[0].endswith("_env"):
            continue  # a game of another test
        assert sum(playthrough.game == name for playthrough in PLAYTHROUGHS) >= 3


def test_another_game_is_noticed() -> None:
    playthrough = PLAYTHROUGHS[0]
    text = playthrough.path.read_text("utf-8")
    other = Playthrough(playthrough.game, playthrough.name, playthrough.num_players, 99)
    assert playthrough_text(other, by_preference(playthrough.game, 99)) != text


if __name__ == "__main__":
    for one in PLAYTHROUGHS:
        write_playthrough(one)
