"""What the reference implementations of all games share: no rule of any game is in here.

Reading the sections of a ruleset file, options over their defaults, the numbers of the actions, and
a game as it is seen from outside: played by numbers or texts of actions, paid out, written down.
The packages have their own of all this, and nothing here comes from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .generator import Generator

# ---------------------------------------------------------------------------------------------
# Ruleset files
# ---------------------------------------------------------------------------------------------

Row = dict[str, str]


def load_sections(
    path: str | Path, names: Sequence[str], replaced: str, other_path: str | Path | None
) -> dict[str, list[Row]]:
    """The rows of the sections of a complete ruleset file.

    The section `replaced` comes from the other file if there is one. Raises ValueError if one of
    the sections with these names is missing or a row cannot be read.
    """
    sections = read_sections(Path(path))
    if other_path is not None:
        sections[replaced] = read_sections(Path(other_path))[replaced]
    missing = [name for name in names if name not in sections]
    if missing:
        raise ValueError(f"{path}: no table {', '.join(missing)}")
    return sections


def read_sections(path: Path) -> dict[str, list[Row]]:
    """The CSV rows of every section of a ruleset file; "key = value" lines are skipped."""
    sections: dict[str, list[Row]] = {}
    name = ""
    header: list[str] = []
    for raw_line in path.read_text(encoding="utf-8").splitlines():
        line = raw_line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            name, header = line[1:-1].strip(), []
            sections[name] = []
        elif not header and "=" in line:
            continue
        else:
            cells = [cell.strip() for cell in line.split(",")]
            if not header:
                header = cells
            elif len(cells) == len(header):
                sections[name].append(dict(zip(header, cells, strict=True)))
            else:
                raise ValueError(f"{path}: [{name}] has a row of {len(cells)} cells: {line}")
    return sections


# ---------------------------------------------------------------------------------------------
# Options and actions
# ---------------------------------------------------------------------------------------------


def options_over_defaults(
    given: Mapping[str, object],
    defaults: Mapping[str, Any],
    choices: Mapping[str, Sequence[object]],
) -> dict[str, Any]:
    """The given options over the defaults. Raises ValueError for a name or value unknown.

    choices: the values of those options that have only a few.
    """
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise ValueError(f"unknown options: {', '.join(unknown)}")
    options = dict(defaults) | dict(given)
    for name, values in choices.items():
        if options[name] not in values:
            raise ValueError(f"option {name} is {options[name]!r}, not one of {values}")
    return options


def numbered_actions(blocks: Mapping[str, int]) -> list[tuple[str, int]]:
    """Block and number within the block of every action; `blocks` have so many actions each."""
    return [(block, offset) for block, count in blocks.items() for offset in range(count)]


# ---------------------------------------------------------------------------------------------
# A game from outside
# ---------------------------------------------------------------------------------------------


class ReferenceGame(ABC):
    """One game; a player is a seat number 0 .. num_players - 1.

    Decisions with a single legal answer are played at once and never wait for the player.
    """

    prompt: str
    current_player: int

    def _clear_bookkeeping(self, num_players: int, things: Iterable[str]) -> None:
        """Nothing has happened yet. things: names of all cards or tiles, in their order."""
        self.num_players = num_players
        self.thing_order = {thing: number for number, thing in enumerate(things)}
        self.ruleset_hex = "0" * 16
        self.final_turns_left = 0
        self.turn_count = 0
        self.decision_count = 0
        self.end_reasons: list[str] = []
        self.is_truncated = False

    def _players(self) -> range:
        return range(self.num_players)

    # --- Playing ---------------------------------------------------------------------------------

    @abstractmethod
    def legal_action_ids(self) -> list[int]:
        """The numbers of the legal actions of `current_player`, ascending; none after the end."""

    @abstractmethod
    def action_text(self, action_id: int) -> str:
        """The text of any action number, legal or not."""

    @abstractmethod
    def _perform(self, action_id: int) -> None:
        """Do what a legal action does, up to the next decision."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by a rule or (`is_truncated`) by the turn limit."""
        return self.prompt == "over"

    def legal_actions(self) -> list[str]:
        """The texts of the legal actions, in the order of their numbers."""
        return [self.action_text(number) for number in self.legal_action_ids()]

    def apply(self, action_text: str) -> None:
        """Play a legal action by its text; raises ValueError if it is not legal."""
        legal = self.legal_actions()
        if action_text not in legal:
            raise ValueError(f"{action_text!r} is not legal here; legal: {', '.join(legal)}")
        self.apply_id(self.legal_action_ids()[legal.index(action_text)])

    def apply_id(self, action_id: int) -> None:
        """Play a legal action by its number; raises ValueError if it is not legal."""
        legal = self.legal_action_ids()
        if action_id not in legal:
            raise ValueError(f"action {action_id} is not legal here; legal: {legal}")
        if len(legal) > 1:
            self.decision_count += 1
        self._perform(action_id)
        self._play_forced_decisions()

    def _play_forced_decisions(self) -> None:
        while len(legal := self.legal_action_ids()) == 1:
            self._perform(legal[0])

    # --- Result ----------------------------------------------------------------------------------

    @abstractmethod
    def scores(self) -> list[int]:
        """The points of every player if the game ends now."""

    @abstractmethod
    def winners(self) -> list[int]:
        """The players who win if the game ends now."""

    def returns(self, mode: str) -> list[float]:
        """The final utility of every player: "win", "score" or "margin".

        win: a loser has -1, the winners share what the losers lose (0 if all or none win).
        score: points.
        margin: own points minus those of the best other player. Raises ValueError for other modes.
        """
        scores = self.scores()
        if mode == "win":
            winners = self.winners()
            if not winners:
                return [0.0] * self.num_players
            share = (self.num_players - len(winners)) / len(winners)
            return [share if player in winners else -1.0 for player in self._players()]
        if mode == "score":
            return [float(score) for score in scores]
        if mode == "margin":
            return [
                float(score - max(scores[:player] + scores[player + 1 :]))
                for player, score in enumerate(scores)
            ]
        raise ValueError(f"unknown mode {mode!r}; use win, score or margin")

    # --- The position in words -------------------------------------------------------------------

    def _head_to_json(self, game: str) -> dict[str, Any]:
        """The entries with which every position begins."""
        return {"game": game, "ruleset": self.ruleset_hex, "num_players": self.num_players}

    def _bookkeeping_to_json(self) -> dict[str, Any]:
        """The entries with which every position ends."""
        return {
            "final_turns_left": self.final_turns_left,
            "turn_count": self.turn_count,
            "decision_count": self.decision_count,
            "end_reasons": list(self.end_reasons),
            "truncated": self.is_truncated,
            "rng": f"0x{self.generator.state:016x}",
        }

    def _read_bookkeeping(self, data: Mapping[str, Any]) -> None:
        """Left out, counts are 0, and the generator is that of seed 0."""
        self.ruleset_hex = data.get("ruleset", self.ruleset_hex)
        self.final_turns_left = data.get("final_turns_left", 0)
        self.turn_count = data.get("turn_count", 0)
        self.decision_count = data.get("decision_count", 0)
        self.end_reasons = list(data.get("end_reasons", []))
        self.is_truncated = data.get("truncated", False)
        seed_zero = Generator.from_seed(0).state
        self.generator = Generator(int(data["rng"], 16) if "rng" in data else seed_zero)

    # --- Cards and tiles -------------------------------------------------------------------------

    def _draw(self, pile: list[str]) -> str:
        """Take a random thing out of a pile of things of one sort."""
        thing = self._in_order(pile)[self.generator.randbelow(len(pile))]
        pile.remove(thing)
        return thing

    def _in_order(self, things: Iterable[str]) -> list[str]:
        """Sorted as in the tables."""
        return sorted(things, key=self.thing_order.__getitem__)
