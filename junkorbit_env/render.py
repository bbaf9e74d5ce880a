"""The table as text, for one player's eyes or openly."""

from typing import Final

from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.text_picture import DIM, Picture, aligned, counted, listed

from .sizes import RING_NAMES

TIMES: Final = " x "  # between a number of tiles and their kind, which begins with a number too
QUESTIONS: Final = {
    "launch": "chooses the tile to launch",
    "land": "chooses heading and landing",
    "hit": "is hit and chooses the tile to drop",
    "aim": "chooses the tile that the victim drops",
    "payback": "chooses the tile to drop in return",
    "move": "chooses where the ship stops",
    "deliver": "chooses what to deliver",
    "beam": "chooses the city to beam from",
    "beam_tile": "chooses the tile to beam",
}


def render(
    ruleset: Ruleset, state: Array, player: int | None = None, is_coloured: bool = False
) -> str:
    """A picture of the table in lines of text.

    player: whose eyes see it, which matters if deliveries are hidden; None shows everything.
    is_coloured: with ANSI colours, one for each player.
    """
    return _Picture(ruleset, state, player, is_coloured).text()


class _Picture(Picture):
    """The parts of the picture."""

    def headline(self) -> str:
        position = self.position
        turn = f"turn {position['turn_count'] + 1} of player {position['turn_player']}"
        details = announcement(self.table["launch"])
        return self.headline_of("Junk Orbit", turn, QUESTIONS, details)

    def piles(self) -> str:
        stacks = self.table["stacks"].items()
        parts = [f"{name} stack {counted(count, 'tile')}" for name, count in stacks]
        if self.table["final_turns_left"]:
            parts.append(f"final turns left {self.table['final_turns_left']}")
        return self.pen.style(", ".join(parts), DIM)

    def places(self) -> list[str]:
        """Ring by ring, clockwise; a city on two rings stands on both."""
        rows: list[tuple[str, ...]] = [("ring", "city", "ships", "tiles")]
        for ring, cities in zip(RING_NAMES, self.ruleset.tables.rings, strict=True):
            if all(city in self.table["cities"] for city in cities):
                rows += [self._city(ring, city) for city in cities]
        return aligned(rows)

    def _city(self, ring: str, city: str) -> tuple[str, ...]:
        return (
            ring,
            city,
            self.players_in(self.position["ships"], city) or "-",
            listed(self.table["cities"][city], TIMES),
        )

    def players(self) -> list[str]:
        rows: list[tuple[str, ...]] = [("player", "ship", "power", "points", "delivered", "cargo")]
        rows += [self._player(player) for player in range(self.count)]
        return aligned(rows)

    def _player(self, player: int) -> tuple[str, ...]:
        seat = self.seat_of(player)
        is_shown = seat["deliveries"] is not None
        return (
            self.pen.player(player),
            seat["ship"],
            seat["power"] or "-",
            str(seat["points"]) if is_shown else "?",
            listed(seat["deliveries"], TIMES)
            if is_shown
            else counted(seat["delivery_count"], "tile"),
            listed(seat["cargo"], TIMES),
        )


def announcement(launch: Json | None) -> str:
    """What is launched, for the headline."""
    if launch is None:
        return ""
    way = f" {launch['heading']}, landed on {launch['landing']}" if launch["landing"] else ""
    return f" (launch of {launch['tile']}{way})"
