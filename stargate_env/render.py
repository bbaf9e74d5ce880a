"""The table as text, for one player's eyes or openly.

Cards are written with title and id, without telling which copy it is. What an open card says stands
in `data/cards.csv`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tabletop_core.game import Array, Json, Ruleset
from tabletop_core.text_picture import DIM, Picture, aligned, counted, listed

from .sizes import GLYPHS

QUESTIONS: Final = {
    "team_stop": "stops a team character of the first player",
    "mulligan": "keeps the hand or redraws it",
    "order_triggers": "chooses the text that comes next",
    "may": "decides whether to use a text",
    "target": "chooses a card for a text",
    "option": "chooses an option of a text",
    "number": "chooses a number for a text",
    "main": "acts or passes",
    "order_texts": "chooses the success, failure or victory text that comes next",
    "fate": "decides the fate of the adversary",
    "dominion": "chooses an obstacle to score with it",
    "recipient": "chooses who earns the glyph",
    "continue": "decides whether to play another mission",
    "order_missions": "chooses the mission that goes under the pile",
    "discard": "discards a card",
    "scry": "puts back a card",
    "glyph": "chooses a glyph or who gets it",
    "ability": "chooses an ability of the card",
    "ship": "chooses a ship to incapacitate",
    "boost": "chooses which card to boost",
}
TIMES: Final = " x "
ROWS: Final = ("play", "at_mission", "attached")
SHORT_SKILLS: Final = {"culture": "Cul", "science": "Sci", "combat": "Com", "ingenuity": "Ing"}


def render(
    ruleset: Ruleset, state: Array, player: int | None = None, is_coloured: bool = False
) -> str:
    """A picture of the table in lines of text.

    player: whose eyes see it, who does not see other hands; None shows everything.
    is_coloured: with ANSI colours, one for each player.
    """
    return _Picture(ruleset, state, player, is_coloured).text()


class _Picture(Picture):
    """The parts of the picture."""

    def __init__(
        self, ruleset: Ruleset, state: Array, player: int | None, is_coloured: bool
    ) -> None:
        super().__init__(ruleset, state, player, is_coloured)
        self.viewer = player
        self.position = self.position | self.position["table"]
        self.numbers: Json = self.position["numbers"]
        self.owners: list[Json] = self.position["players"]
        self.cards = {card.card_id: card for card in ruleset.tables.kinds}

    # --- names

    def name(self, card: str) -> str:
        """Title and id of a card "BS-130.2" or "1:BS-130.2"."""
        card_id = card.rpartition(":")[2].partition(".")[0]
        return f"{self.cards[card_id].title} {card_id}"

    def named(self, cards: Iterable[str]) -> str:
        """Cards with their numbers."""
        return listed(Counter(sorted(map(self.name, cards))), TIMES)

    def zone(self, player: int, zone: str) -> list[str]:
        """A player's cards in a zone."""
        cards: list[str] = self.owners[player]["zones"].get(zone, [])
        return cards

    # --- parts

    def headline(self) -> str:
        position = self.position
        turn = f"turn {position['turn_count'] + 1} of player {position['hero']}"
        return self.headline_of("Stargate TCG", turn, QUESTIONS)

    def piles(self) -> str:
        current = [card for player in range(self.count) for card in self.zone(player, "current")]
        if not current:
            return self.pen.style("no mission", DIM)
        numbers = self.numbers
        parts = [
            f"mission {self.name(current[0])} ({numbers['required_skill']})",
            f"difficulty {numbers['difficulty']}",
            f"hero total {numbers['hero_total']}",
        ]
        if self.position["complications"]:
            parts.append(counted(len(self.position["complications"]), "complication"))
        return self.pen.style(", ".join(parts), DIM)

    def places(self) -> list[str]:
        """Cards in play, player by player, with what lies beneath them."""
        rows: list[tuple[str, ...]] = [("owner", "card", "state", "ratings", "with it")]
        for player in range(self.count):
            for zone in ROWS:
                rows += [self._card(player, zone, card) for card in self.zone(player, zone)]
        return aligned(rows)

    def _card(self, player: int, zone: str, card: str) -> tuple[str, ...]:
        owned = f"{player}:{card}"
        state = self.owners[player]["conditions"].get(card, "ready")
        if zone == "at_mission":
            state = "at the mission"
        states = [state, *(["blocked"] if owned in self.numbers["blocked"] else [])]
        ratings = self.numbers["ratings"].get(owned, {})
        return (
            self.pen.player(player),
            self.name(card),
            ", ".join(states),
            " ".join(f"{SHORT_SKILLS[skill]} {value}" for skill, value in ratings.items()) or "-",
            self._beneath(player, card) or "-",
        )

    def _beneath(self, player: int, card: str) -> str:
        """Glyphs, tokens, and cards beneath a card or attached to it."""
        owned = f"{player}:{card}"
        glyphs: list[str] = []
        others: list[str] = []
        for other in range(self.count):
            for beneath, host in self.owners[other]["hosts"].items():
                if host == owned and beneath in self.zone(other, "glyph"):
                    glyphs.append(self._glyph(beneath))
                elif host == owned and beneath in self.zone(other, "attached"):
                    others.append(self.name(beneath))
                elif host == owned:
                    others.append("a card")
        parts = [listed(Counter(sorted(glyphs)), TIMES)] if glyphs else []
        parts += [listed(Counter(sorted(others)), TIMES)] if others else []
        tokens = self.owners[player]["tokens"].get(card, 0)
        parts += [counted(tokens, "token")] if tokens else []
        return ", ".join(parts)

    def _glyph(self, mission: str) -> str:
        return GLYPHS[self.cards[mission.partition(".")[0]].glyph]

    def players(self) -> list[str]:
        head = ("player", "role", "VT", "glyphs", "XP", "score", "power")
        rows: list[Sequence[str]] = [(*head, "deck", "missions", "discards", "hand")]
        rows += [self._player(player) for player in range(self.count)]
        return aligned(rows)

    def _player(self, player: int) -> Sequence[str]:
        keys = ("victory_totals", "glyphs", "experience", "villain_scores")
        tallies = [str(self.numbers[key][player]) for key in keys]
        sizes = [str(len(self.zone(player, zone))) for zone in ("deck", "missions", "discard")]
        power = str(self.owners[player]["power"])
        return (
            self.pen.player(player),
            self._role(player),
            *tallies,
            power,
            *sizes,
            self._hand(player),
        )

    def _role(self, player: int) -> str:
        hero: int = self.position["hero"]
        if player == hero:
            return "hero"
        return "villain" if player == (hero + 1) % self.count else "-"

    def _hand(self, player: int) -> str:
        hand = self.zone(player, "hand")
        is_seen = self.viewer in (None, player)
        return self.named(hand) if is_seen and hand else counted(len(hand), "card")
