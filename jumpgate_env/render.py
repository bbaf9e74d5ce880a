"""The table as text, for one player's eyes or openly."""

from typing import Final

from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.text_picture import DIM, Picture, aligned, counted, listed

QUESTIONS: Final = {
    "main": "chooses an action",
    "spend": "chooses the card that pays",
    "spend_pair": "chooses the two landing cards",
    "harvest": "chooses the resource to harvest",
    "research": "chooses the cards to discard",
    "mark": "chooses the resource to mark",
    "pick": "chooses the free resource",
}


def render(
    ruleset: Ruleset, state: Array, player: int | None = None, is_coloured: bool = False
) -> str:
    """A picture of the table in lines of text.

    player: whose hand and hidden resources are shown; None shows everything.
    is_coloured: with ANSI colours, one for each player.
    """
    return _Picture(ruleset, state, player, is_coloured).text()


class _Picture(Picture):
    """The parts of the picture."""

    def headline(self) -> str:
        position = self.position
        left = counted(position["actions_left"], "action")
        details = f"{announcement(position['pending'])} ({left} left)"
        turn = f"turn {position['turn_count'] + 1}"
        return self.headline_of("Jump Gate", turn, QUESTIONS, details)

    def piles(self) -> str:
        markers = sum(seat["black_hole_markers"] for seat in self.table["seats"])
        parts = [
            f"Black Hole {markers} of {self.ruleset.options.blackhole_limit}",
            f"deck {self.table['deck_count']}",
            f"discard pile {len(self.table['discard'])}",
        ]
        if self.table["removed_count"]:
            parts.append(f"removed {self.table['removed_count']}")
        if self.table["final_turns_left"]:
            parts.append(f"final turns left {self.table['final_turns_left']}")
        return self.pen.style(", ".join(parts), DIM)

    def places(self) -> list[str]:
        rows: list[tuple[str, ...]]
        rows = [("planet", "jump", "scan", "land", "owner", "down", "face up", "ships")]
        rows += [self._planet(planet) for planet in self.table["ring"]]
        return aligned(rows)

    def _planet(self, planet: Json) -> tuple[str, ...]:
        owner = planet["owner"]
        return (
            planet["planet"],
            str(planet["jump"]),
            str(planet["scan"]),
            " ".join(str(code) for code in planet["landing"]),
            "-" if owner is None else self.pen.player(self.player_at(owner)),
            str(planet["face_down"]),
            ", ".join(self._resource(resource) for resource in planet["face_up"]) or "-",
            self.players_in(self.position["locations"], planet["planet"]),
        )

    def _resource(self, resource: Json) -> str:
        mark = resource["mark"]
        sign = "" if mark is None else f" [{self.pen.player(self.player_at(mark))}]"
        return f"{resource['resource']}{sign}"

    def players(self) -> list[str]:
        rows: list[tuple[str, ...]]
        rows = [("player", "ship", "points", "markers", "hand", "hidden", "collected")]
        rows += [self._player_row(player) for player in range(self.count)]
        return aligned(rows)

    def _player_row(self, player: int) -> tuple[str, ...]:
        seat = self.seat_of(player)
        hand = counted(seat["hand_count"], "card")
        hidden = counted(seat["hidden_count"], "card")
        if player in self.views:
            hand = ", ".join(_card(card) for card in self.views[player]["hand"]) or "-"
        if seat["hidden"] is not None:
            hidden = listed(seat["hidden"])
        return (
            self.pen.player(player),
            seat["location"],
            str(seat["public_points"]),
            str(seat["black_hole_markers"]),
            hand,
            hidden,
            listed(seat["collected"]),
        )


def announcement(pending: Json | None) -> str:
    """What is announced, for the headline."""
    if pending is None:
        return ""
    where = {"jump": "to", "harvest": "at"}.get(pending["action"], "")
    words = [pending["action"], pending["resource"], where if pending["planet"] else None]
    words.append(pending["planet"])
    return f" for the {' '.join(word for word in words if word)}"


def _card(card: Json) -> str:
    """A navigation card with its codes, for example "N11 (jump W, scan 3)"."""
    codes = [f"{name} {card[name]}" for name in ("jump", "scan", "land") if card[name] is not None]
    return f"{card['card']} ({', '.join(codes)})"
