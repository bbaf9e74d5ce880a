"""The table as a picture: the mission with what is at it, and below what each player has.

Cards are written with their titles; where a pointer rests on a card, the picture says more of it.
A card that a player does not know is a dark one, or a number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tabletop_core.canvas import MIDDLE, SMALLEST_TEXT, Box, Drawing, Point, text_width
from tabletop_core.game import Json
from tabletop_core.scene import (
    DARK,
    EDGE,
    FAINT,
    HEADER,
    INK,
    MARGIN,
    PANEL,
    PLAYER_COLOURS,
    WIDTH,
    Scene,
    label,
    new_canvas,
    player_panel,
    token,
)
from tabletop_core.text_picture import counted, listed

from .components import Card
from .render import QUESTIONS, SHORT_SKILLS, TIMES
from .sizes import GLYPHS, MISSION, NUM_SKILLS, SHIP, SKILLS

MISSION_TOP: Final = HEADER + 6
MISSION_HEIGHT: Final = 176.0
MISSION_CARD: Final = 206.0  # its width
LANE: Final = (MARGIN + 226, 66.0)  # left edge and height of what a side has at the mission
LANE_CARD: Final = 135.0  # width of a card there
PLAYERS_TOP: Final = MISSION_TOP + MISSION_HEIGHT + 6
TITLE_LINE: Final = 26.0  # height of a player's numbers
CARD_WIDTH: Final = 150.0
FULL: Final = 47.0  # heights of a card with all its lines, with two, with one
MEDIUM: Final = 31.0
SHORT: Final = 18.0
GAP: Final = 3.0
ROWS: Final = {2: (3, 3)}  # number of players -> rows of full cards in play, of cards in hand
ROWS_OF_MANY: Final = (2, 2)
NAMED_GLYPHS: Final = 2  # on a card; of more only the first letters are written
MOST_BACKS: Final = 24  # of a hidden hand that are drawn
TEXT_STEP: Final = 14.5  # from line to line on a card

ON_CARDS: Final = ("attached", "tucked", "blockaded")  # zones of cards that lie on others
CARD_NAME: Final = re.compile(r"(?:\d+:)?\b([A-Z]+-[0-9A-Z]+)(?:\.\d+)?")  # see `notation.py`

SKILL_COLOURS: Final = {
    "culture": "#7a4fa3",
    "science": "#1d6fa5",
    "combat": "#b3312c",
    "ingenuity": "#2e7d4f",
}
# Ground and text of cards by condition.
GROUNDS: Final = {
    "ready": ("#ffffff", INK),
    "assigned": ("#fff6d6", INK),
    "stopped": ("#d9d9d9", "#3a3a3a"),
    "incapacitated": ("#4b4b52", "#ffffff"),
}
ASKED_EDGE: Final = 3.5  # width of the edge of cards that a question is about
HAND_GROUND: Final = "#eef3f8"


def draw(scene: Scene) -> Drawing:
    """A picture of the table, 800 wide; see `tabletop_core.scene.Scene`."""
    return _Painter(scene).drawing()


@dataclass(frozen=True)
class _Shown:
    """A card as it is drawn: three lines, its look, and what a pointer on it is told."""

    title: str
    ratings: str
    state: str
    brief: str
    """The second line where there is none for the state."""
    ground: str
    colour: str
    edge: str
    words: str
    is_asked: bool = False


@dataclass(frozen=True)
class _Seen:
    """A card in play as a view tells of it; `name` is the one that hosts are called by."""

    card: Card
    owner: int
    name: str
    row: Json


class _Painter:
    """Draws one scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        # The view of who decides tells which cards the question is about.
        current = scene.current_player
        self.looker = current if current in scene.views else scene.first
        self.view = scene.views[self.looker]
        self.pool = scene.ruleset.tables.pool.by_id
        play_rows, hand_rows = ROWS.get(scene.count, ROWS_OF_MANY)
        self.play_height = play_rows * (FULL + GAP)
        self.row = TITLE_LINE + self.play_height + hand_rows * (SHORT + GAP) + 14
        height = PLAYERS_TOP + scene.count * self.row + 2
        named = scene
        if scene.last is not None:
            player, words = scene.last
            named = replace(scene, last=(player, self._with_titles(words)))
        self.canvas = new_canvas(named, height, self._question())

    def drawing(self) -> Drawing:
        self._mission()
        for player in range(self.scene.count):
            self._player(player)
        return self.canvas.drawing()

    def _question(self) -> str:
        question = QUESTIONS.get(self.view["prompt"], "")
        texts = self.view["texts"]
        card = texts[0].get("card") if texts else None
        return question if card is None else f"{question}: {self.pool[card].title}"

    def _with_titles(self, words: str) -> str:
        """A decision in words, with titles instead of names of cards."""

        def title(found: re.Match[str]) -> str:
            card = self.pool.get(found[1])
            return found[0] if card is None else f"{card.title} ({card.card_id})"

        return CARD_NAME.sub(title, words)

    # --- cards of a view

    def _player_at(self, seat: int) -> int:
        return (self.looker + seat) % self.scene.count

    def _seat_of(self, player: int) -> int:
        return (player - self.looker) % self.scene.count

    def _tallies(self, player: int) -> Json:
        tallies: Json = self.view["seats"][self._seat_of(player)]
        return tallies

    def _cards(self, player: int, *zones: str) -> list[_Seen]:
        """A player's cards in some zones, as `looker` knows them."""
        cards: Json = self._tallies(player)["cards"]
        return [
            _Seen(self._card(name), player, name, row)
            for name, row in cards.items()
            if row["zone"] in zones
        ]

    def _card(self, name: str) -> Card:
        card: Card = self.pool[name.rpartition(":")[2].partition(".")[0]]
        return card

    def _hand(self, player: int) -> list[Card]:
        """The cards of a hand that a view tells."""
        view = self.scene.views.get(player, self.view)
        seat = 0 if player in self.scene.views else self._seat_of(player)
        cards = view["seats"][seat]["cards"]
        return [self._card(name) for name, row in cards.items() if row["zone"] == "hand"]

    def _hosted(self, host: _Seen, *zones: str) -> list[Card]:
        """The cards beneath a card or attached to it."""
        name = f"{self._seat_of(host.owner)}:{host.name}"
        return [
            other.card
            for player in range(self.scene.count)
            for other in self._cards(player, *zones)
            if other.row.get("host") == name
        ]

    def _beneath(self, seen: _Seen, most: int) -> list[str]:
        """What lies on and beneath a card: glyphs (at most so many by name), cards, tokens."""
        glyphs = [GLYPHS[card.glyph or 0] for card in self._hosted(seen, "glyph")]
        others = Counter(card.title for card in self._hosted(seen, *ON_CARDS))
        tokens = Counter({"token": seen.row.get("tokens", 0)})
        named = [listed(counts, TIMES) for counts in (others, +tokens) if counts]
        return [_glyph_words(glyphs, most), *named] if glyphs else named

    # --- the mission

    def _mission(self) -> None:
        canvas = self.canvas
        top, bottom = MISSION_TOP, MISSION_TOP + MISSION_HEIGHT
        canvas.rect((MARGIN, top, WIDTH - MARGIN, bottom), "#e3e7ea", EDGE, 1, 6)
        hero = self._player_at(self.view["hero_seat"])
        villain_seat = self.view["villain_seat"]
        current = self._cards(hero, "current")
        if current:
            self._mission_card(current[0])
        else:
            canvas.text((MARGIN + 14, top + 24), "no mission", 14, FAINT)
        at_mission = self._assigned(hero)
        self._lane("hero", hero, top + 4, at_mission)
        if villain_seat is not None:
            villain = self._player_at(villain_seat)
            opposing = self._cards(villain, "at_mission")
            shown = [self._shown(seen) for seen in opposing] + self._assigned(villain)
            self._lane("villain", villain, top + 90, shown + self._complications())

    def _mission_card(self, seen: _Seen) -> None:
        canvas, view, card = self.canvas, self.view, seen.card
        left, top = MARGIN + 8, MISSION_TOP + 8
        right, bottom = left + MISSION_CARD, MISSION_TOP + MISSION_HEIGHT - 8
        skill = view["required_skill"]
        colour = SKILL_COLOURS.get(skill, FAINT)
        with canvas.group(f"{_full_name(card)}: {card.effect}"):
            canvas.rect((left, top, right, bottom), PANEL, colour, 3, 8)
            middle = (left + right) / 2
            inner = MISSION_CARD - 16
            canvas.text((middle, top + 17), card.title, 15, INK, MIDDLE, True, inner)
            place = f"{card.subtitle}, {card.card_id}" if card.subtitle else card.card_id
            canvas.text((middle, top + 36), place, 12, FAINT, MIDDLE, width=inner)
            needs = "no skill" if skill is None else f"needs {skill}"
            canvas.text((middle, top + 60), needs, 14, colour, MIDDLE, True)
            totals = f"{view['hero_total']} of {view['difficulty']}"
            canvas.text((middle, top + 86), totals, 22, INK, MIDDLE, True)
            has_reached = view["hero_total"] >= view["difficulty"]
            words = "hero total reaches the difficulty" if has_reached else "hero total, difficulty"
            canvas.text((middle, top + 107), words, 12, FAINT, MIDDLE, width=inner)
            glyph = GLYPHS[card.glyph] if card.glyph is not None else "no glyph"
            reward = f"{card.experience} XP, {glyph}"
            canvas.text((middle, top + 130), reward, 12, INK, MIDDLE, width=inner)
            played = f"mission {view['missions_played']} of the turn, {view['failures']} failed"
            canvas.text((middle, top + 148), played, 11, FAINT, MIDDLE, width=inner)

    def _lane(self, role: str, player: int, top: float, cards: Sequence[_Shown]) -> None:
        """What one side has at the mission."""
        left, height = LANE
        token(self.canvas, (left + 10, top + 8), player)
        words = f"{role}, player {player}" + ("" if cards else ": nothing at the mission")
        self.canvas.text((left + 24, top + 8), words, 12, INK, is_bold=bool(cards))
        self._flow(cards, (left, top + 18, WIDTH - MARGIN - 6, top + 18 + height), LANE_CARD)

    def _assigned(self, player: int) -> list[_Shown]:
        return [
            self._shown(seen)
            for seen in self._cards(player, "play")
            if seen.row.get("condition") == "assigned"
        ]

    def _complications(self) -> list[_Shown]:
        shown = []
        for entry in self.view["complications"]:
            player = self._player_at(entry["seat"])
            rating = f"difficulty {entry['difficulty']}"
            words = f"complication of player {player}, {rating}"
            colour = PLAYER_COLOURS[player]
            shown.append(
                _Shown("complication", rating, "face down", rating, DARK, "#ffffff", colour, words)
            )
        return shown

    # --- players

    def _player(self, player: int) -> None:
        top = PLAYERS_TOP + player * self.row
        left, right = MARGIN, WIDTH - MARGIN
        player_panel(self.canvas, self.scene, player, (left, top, right, top + self.row - 6))
        self._numbers(player, top + 15)
        waiting = [
            self._shown(seen)
            for seen in self._cards(player, "play", "blockaded")
            if seen.row.get("condition") != "assigned"
        ]
        play_top = top + TITLE_LINE + 2
        play = (left + 14, play_top, right - 4, play_top + self.play_height)
        self._flow(waiting, play, CARD_WIDTH)
        hand_top = play_top + self.play_height
        self._show_hand(player, (left + 14, hand_top, right - 4, top + self.row - 8))

    def _numbers(self, player: int, y: float) -> None:
        canvas = self.canvas
        tallies = self._tallies(player)
        token(canvas, (MARGIN + 24, y), player)
        role = self._role(player)
        name = f"player {player}{role and ', '}{role}"
        canvas.text((MARGIN + 38, y), name, 13, INK, is_bold=True, width=126)
        x = MARGIN + 168
        numbers = (
            ("power", tallies["power"]),
            ("glyphs", f"{tallies['glyphs']}"),
            ("XP", tallies["experience"]),
            ("score", tallies["villain_score"]),
            ("victory total", tallies["victory_total"]),
            ("deck", tallies["deck_count"]),
            ("missions", tallies["missions_count"]),
            ("discards", len(self._cards(player, "discard"))),
        )
        for number in numbers:
            x += label(canvas, (x, y), *number) + 13

    def _role(self, player: int) -> str:
        seat = self._seat_of(player)
        if seat == self.view["hero_seat"]:
            return "hero"
        return "villain" if seat == self.view["villain_seat"] else ""

    def _show_hand(self, player: int, box: Box) -> None:
        left, top, right, bottom = box
        count = self._tallies(player)["hand_count"]
        canvas = self.canvas
        canvas.text((left, top + 8), "hand", 12, FAINT)
        canvas.text((left, top + 8 + SHORT + GAP), str(count), 13, INK, is_bold=True)
        known = [_hand_card(card) for card in self._hand(player)]
        if not known:
            for k in range(min(count, MOST_BACKS)):
                x = left + 32 + k * 30
                canvas.rect((x, top, x + 26, top + 36), DARK, "#8fa1b3", 1, 3)
            return
        if len(known) < count:
            words = counted(count - len(known), "hidden card")
            known.append(_Shown(words, "", "", "", DARK, "#ffffff", "#8fa1b3", words))
        self._flow(known, (left + 32, top, right, bottom), 144)

    # --- cards

    def _shown(self, seen: _Seen) -> _Shown:
        card, row = seen.card, seen.row
        condition = row.get("condition", "ready")
        ground, colour = GROUNDS[condition]
        states = [] if condition in ("ready", "assigned") else [condition]
        states += ["blocked"] if row.get("blocked") else []
        beneath = self._beneath(seen, NAMED_GLYPHS - len(states))
        is_choice = any(0 in row.get(key, ()) for key in ("candidate", "chosen"))
        is_asked = is_choice or row.get("is_source", False)
        ratings = _ratings(card, row)
        glyphs = len(self._hosted(seen, "glyph"))
        words = [_full_name(card), condition, *states[1:], *beneath]
        return _Shown(
            card.title,
            ratings,
            ", ".join([*states, *beneath]),
            f"{ratings} G{glyphs}" if glyphs else ratings,
            ground,
            colour,
            PLAYER_COLOURS[seen.owner],
            ", ".join(word for word in words if word),
            is_asked,
        )

    def _flow(self, cards: Sequence[_Shown], box: Box, width: float) -> None:
        """Cards in rows within a box, as high as there is room for all of them."""
        left, top, right, bottom = box
        columns = int((right - left + GAP) / (width + GAP))
        fitting = [
            (height, columns * int((bottom - top + GAP) / (height + GAP)))
            for height in (FULL, MEDIUM, SHORT)
        ]
        height, room = next((form for form in fitting if form[1] >= len(cards)), fitting[-1])
        kept = cards if room >= len(cards) else cards[: room - 1]
        for k, card in enumerate(kept):
            row, column = divmod(k, columns)
            corner = (left + column * (width + GAP), top + row * (height + GAP))
            self._card_at(card, corner, (width, height))
        if len(kept) < len(cards):
            row, column = divmod(len(kept), columns)
            place = (left + column * (width + GAP) + 4, top + row * (height + GAP) + height / 2)
            self.canvas.text(place, f"+ {len(cards) - len(kept)} more cards", 12, INK)

    def _card_at(self, card: _Shown, corner: Point, size: tuple[float, float]) -> None:
        canvas = self.canvas
        x, y = corner
        width, height = size
        lines = [card.title, card.ratings, card.state]
        if height < FULL:
            is_brief = text_width(card.brief, SMALLEST_TEXT) <= width - 9
            lines = [card.title, card.brief if is_brief else card.ratings]
            lines = lines[: 1 if height < MEDIUM else 2]
        with canvas.group(card.words):
            edge, line = (INK, ASKED_EDGE) if card.is_asked else (card.edge, 1.5)
            canvas.rect((x, y, x + width, y + height), card.ground, edge, line, 4)
            first = y + height / 2 - (len(lines) - 1) * TEXT_STEP / 2
            for k, words in enumerate(lines):
                place = (x + 5, first + k * TEXT_STEP)
                size_of_text = 12 if k == 0 else 11.5
                canvas.text(
                    place, words, size_of_text, card.colour, is_bold=k == 0, width=width - 9
                )


def _glyph_words(glyphs: Sequence[str], most: int) -> str:
    """Glyphs by name, or by their first letters if there are more than `most`."""
    if len(glyphs) <= most:
        return ", ".join(sorted(glyphs))
    return f"glyphs {' '.join(sorted(glyph[0] for glyph in glyphs))}"


def _hand_card(card: Card) -> _Shown:
    kind = card.type_name.replace("_", " ")
    words = f"{_full_name(card)}, {kind}: {card.effect}"
    return _Shown(card.title, kind, "", kind, HAND_GROUND, INK, "#6f8296", words)


def _full_name(card: Card) -> str:
    subtitle = f", {card.subtitle}" if card.subtitle else ""
    return f"{card.title}{subtitle} ({card.card_id})"


def _ratings(card: Card, row: Json) -> str:
    """Ratings now if the view tells them, else the type of the card and what is printed on it."""
    if card.card_type == MISSION:
        return "blockaded mission"
    known = row.get("ratings")
    if known is None:
        known = {
            SKILLS[k]: card.ratings[k] for k in range(NUM_SKILLS) if card.ratings[k] is not None
        }
    words = [f"{SHORT_SKILLS[skill]} {value}" for skill, value in known.items()]
    if card.card_type == SHIP:
        words.append(f"firepower {row.get('firepower', card.firepower)}")
    return " ".join(words) or card.type_name.replace("_", " ")
