"""Sizes and enumerations of Junk Orbit that kernels compile in; everything else is data.

Section numbers refer to RULES.md beside this file.
"""

from typing import Final

# Players (§0) and boards (§1.1).
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 5
RING_NAMES: Final = ("EARTH", "MOON", "MARS", "PHOBOS", "DEIMOS")
RING_SIZES: Final = (9, 7, 9, 4, 3)
NUM_RINGS: Final = len(RING_NAMES)
NUM_CITIES: Final = 28
NO_CITY: Final = 255

# Tiles (§2.1): numbered stack after stack, starters last; a set of them takes two 64-bit words.
STACK_NAMES: Final = ("EARTH", "MOON", "MARS")
STACK_SIZES: Final = (37, 29, 47)
NUM_STACKS: Final = len(STACK_NAMES)
NUM_STARTERS: Final = 15
NUM_TILES: Final = sum(STACK_SIZES) + NUM_STARTERS
FIRST_STARTER: Final = NUM_TILES - NUM_STARTERS
FIRST_TWO: Final = FIRST_STARTER + 10  # ten starters of value 1, then five of value 2
TILE_WORDS: Final = 2
NO_TILE: Final = 255
MAX_VALUE: Final = 12
NUM_DISTANCES: Final = MAX_VALUE + 2  # a ship with Overthrust (§8) goes one step further

# What tells two tiles apart (§13): destination and value.
MAX_KINDS: Final = sum(STACK_SIZES) + 2

# Headings (§5).
CLOCKWISE: Final = 0
COUNTER_CLOCKWISE: Final = 1
NUM_HEADINGS: Final = 2

# Ships (§8).
NO_POWER: Final = 0
NUM_SHIPS: Final = 5
