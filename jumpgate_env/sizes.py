"""Sizes and enumerations of Jump Gate that kernels compile in; everything else is data.

Section numbers refer to RULES.md beside this file.
"""

from typing import Final

# Players and planets (§1). MAX_PLANETS is what the state has room for: the ring of five players.
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 5
MIN_PLANETS: Final = 3
MAX_PLANETS: Final = 9
NUM_PLANET_CARDS: Final = 12

# Resource cards and navigation cards: 48 of each (§1), so a set of them fits one 64-bit word.
NUM_CARDS: Final = 48
HAND_SIZE: Final = 5
RESOURCES_PER_PLANET: Final = 4  # §2.4: three face down and one face up

# Codes on navigation cards and planets (§1.2, §1.3): 1 to 4, a wildcard, or the category is absent.
NO_CODE: Final = 0
MIN_CODE: Final = 1
MAX_CODE: Final = 4
WILDCARD: Final = 5
NUM_CODES: Final = MAX_CODE + 1  # length of an array indexed by a code from 0 to 4

# Resource types (§1.1). Nothing (§10) is never collected and stands behind the NUM_TYPES others.
SAND: Final = 0
RED_GEM: Final = 1
WHITE_GEM: Final = 2
BLUE_GEM: Final = 3
LIGHT_ENERGEL: Final = 4
DARK_ENERGEL: Final = 5
WATER: Final = 6
FAME: Final = 7
NOTHING: Final = 8
NUM_TYPES: Final = 8
TYPE_NAMES: Final = (
    "sand",
    "red gem",
    "white gem",
    "blue gem",
    "light energel",
    "dark energel",
    "water",
    "fame",
    "nothing",
)

# What tells two resource cards apart for a player: kind = 2 * type + black-hole icon (0 or 1).
NUM_KINDS: Final = 2 * NUM_TYPES

# The largest number of points that a table may give (§1.1).
MAX_POINTS: Final = 65_535
