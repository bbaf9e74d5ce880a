"""A game with people and bots around it, as `play` and `watch` run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..bots import BOTS, ask, make_bots, split_bots
from ..errors import TabletopError
from ..game import Game, Ruleset
from ..record import GameRecord, record_of
from ..session import Session

HUMAN: Final = "human"
OPPONENT: Final = "random"
HINTING_BOTS: Final = ("mcts", "rule", "random")  # the first one that can play gives hints


def parse_seats(game: Game, text: str | None, default: str) -> list[str]:
    """The names in `--players`; without them `default` and the fewest random bots.

    Raises:
        TabletopError: a seat is neither human nor a bot.
    """
    if text is None:
        return [default] + [OPPONENT] * (game.min_players - 1)
    seats = split_bots(text)
    for name in seats:
        if name.partition(":")[0] not in (HUMAN, *BOTS):
            raise TabletopError(
                f"--players {text}: {name!r} is not available; each seat is {HUMAN} or a bot "
                f"({', '.join(BOTS)}), for example --players {HUMAN},{OPPONENT}"
            )
    return seats


@dataclass(frozen=True)
class Played:
    """One decision that was made, with the words that each player saw."""

    player: int
    action: int
    words: str
    seen: tuple[str, ...]
    """[player]."""
    bots_state: Any
    """Of the bots' generator before it."""

    def words_for(self, viewer: int | None) -> str:
        """As a player saw it, or (None) openly."""
        return self.words if viewer is None else self.seen[viewer]


class Table:
    """One game in progress.

    Args:
        ruleset: the game, its options and tables.
        seats: `human` or the name of a bot for each player.
        seed: of the game and of the bots.

    Raises:
        TabletopError: a bot that cannot play the game.
    """

    def __init__(self, ruleset: Ruleset, seats: Sequence[str], seed: int) -> None:
        self.session: Final = Session(ruleset)
        self.seats: Final = tuple(seats)
        self.seed: Final = seed
        self.humans: Final = tuple(k for k, name in enumerate(seats) if name == HUMAN)
        names = [name for name in seats if name != HUMAN]
        self._bots = dict(zip(names, make_bots(names, ruleset), strict=True))
        self._rng = np.random.default_rng(seed)
        self.history: list[Played] = []
        self.session.start_recording()
        self.session.reset(seed)

    @property
    def player(self) -> int:
        """Who decides now."""
        return self.session.current_player

    @property
    def viewer(self) -> int | None:
        """Whose eyes the game is told for while bots play: the only human; openly without one."""
        return self.humans[0] if self.humans else None

    def bot_action(self) -> int:
        """What the bot of the player to move plays."""
        return ask(self._bots[self.seats[self.player]], self.session, self._rng)

    def play(self, action: int) -> Played:
        """Play a legal action of the player to move.

        Raises:
            TabletopError: the action is not legal.
        """
        session = self.session
        player = self.player
        bots_state = self._rng.bit_generator.state
        words = session.action_to_string(action)
        seen = tuple(session.action_seen(action, other) for other in range(session.num_players))
        session.step(action)
        played = Played(player, action, words, seen, bots_state)
        self.history.append(played)
        return played

    def undo(self) -> bool:
        """Go back to before the last decision of a human; False if there is none.

        Bots then decide as before, and cards come as before.
        """
        own = [k for k, played in enumerate(self.history) if played.player in self.humans]
        if not own:
            return False
        kept = self.history[: own[-1]]
        self._rng.bit_generator.state = self.history[own[-1]].bots_state
        self.session.reset(self.seed)
        for played in kept:
            self.session.step(played.action)
        self.history = kept
        return True

    def hint(self, name: str | None) -> tuple[str, int]:
        """A bot's name (default: the best one that can play the game) and what it would play.

        Raises:
            TabletopError: no such bot, or one that cannot play the game.
        """
        for choice in [name] if name else HINTING_BOTS:
            try:
                (bot,) = make_bots([choice], self.session.ruleset)
            except TabletopError:
                if name:
                    raise
                continue
            # Hints draw from a generator of their own, so that asking changes nothing.
            rng = np.random.default_rng([self.seed, len(self.history)])
            return choice, ask(bot, self.session, rng)
        raise TabletopError("no bot can play this game")

    def record(self) -> GameRecord:
        """The game so far."""
        return record_of(self.session, self.seats)
