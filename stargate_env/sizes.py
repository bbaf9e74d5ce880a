"""Sizes and enumerations of the Stargate TCG that kernels compile in; everything else is data.

Section numbers refer to RULES.md beside this file.
"""

from typing import Final

# Decks (§4): a list is a team, a mission pile and a deck.
TEAM_SIZE: Final = 4
MISSION_COUNT: Final = 12
MISSIONS_PER_SKILL: Final = 3
MIN_HERO_CARDS: Final = 20
MIN_VILLAIN_CARDS: Final = 20
MAX_COPIES: Final = 3
MAX_DECK: Final = 120  # limit of this engine, not a rule
LIST_SIZE: Final = TEAM_SIZE + MISSION_COUNT + MAX_DECK

# Skills and glyphs, in the order of their numbers.
SKILLS: Final = ("culture", "science", "combat", "ingenuity")
NUM_SKILLS: Final = len(SKILLS)
GLYPHS: Final = ("Gemini", "Libra", "Orion", "Pisces", "Scorpius", "Triangulum")
NUM_GLYPHS: Final = len(GLYPHS)
NO_SKILL: Final = 255
NO_GLYPH: Final = 255
NO_RATING: Final = -1  # absent, which is not 0 (N1)

# Card types (§1), in the order of their numbers.
CARD_TYPES: Final = (
    "team_character",
    "support_character",
    "mission",
    "gear",
    "event",
    "obstacle",
    "adversary",
    "ship",
)
TEAM: Final = 0
SUPPORT: Final = 1
MISSION: Final = 2
GEAR: Final = 3
EVENT: Final = 4
OBSTACLE: Final = 5
ADVERSARY: Final = 6
SHIP: Final = 7

SIDES: Final = ("hero", "villain")
HERO: Final = 0
VILLAIN: Final = 1

TRAITS: Final = (
    "Ancient",
    "Asgard",
    "Atlantis",
    "Disease",
    "Goa'uld",
    "Jaffa",
    "NID",
    "Ori",
    "Political",
    "Replicator",
    "Russian",
    "SGC",
    "Tok'ra",
)
NUM_TRAITS: Final = len(TRAITS)

SETS: Final = {"BS": "Stargate SG-1", "SL": "System Lords", "RO": "Rise of the Ori"}
RARITIES: Final = ("C", "U", "R", "UR", "S")
