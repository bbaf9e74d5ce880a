"""Where a trip can end (§5), computed once from the rings.

A traveller makes exactly as many steps as its value. On a city of two rings it may go on along its
ring in the same sense, or change to the other ring in the opposite one; it never turns back.
Section numbers refer to RULES.md beside this file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from .sizes import CLOCKWISE, NUM_CITIES, NUM_DISTANCES, NUM_HEADINGS

CLOCKWISE_SENSE: Final = 1
COUNTER_CLOCKWISE_SENSE: Final = -1


class Course(NamedTuple):
    """Where a traveller is and which way it goes."""

    city: int
    ring: int
    sense: int
    """+1 clockwise, -1 counter-clockwise along `ring`."""


class Trip(NamedTuple):
    """One way to make some steps."""

    course: Course
    switches: tuple[int, ...]
    """Steps at which it changed rings; starting on the ring that is not the home ring is step 1."""
    passed: frozenset[int]
    """Cities left behind; the start only if the trip came round to it."""


class Network:
    """The rings in play.

    Args:
        rings: ring number -> city numbers in clockwise order.
        home: city number -> number of its home ring.
    """

    def __init__(self, rings: Mapping[int, Sequence[int]], home: Sequence[int]) -> None:
        self._rings = rings
        self._home = home
        self._rings_of = {
            city: [ring for ring, cities in rings.items() if city in cities]
            for cities in rings.values()
            for city in cities
        }

    @property
    def cities(self) -> list[int]:
        """Numbers of the cities in play, ascending."""
        return sorted(self._rings_of)

    def neighbours(self, city: int) -> set[int]:
        """Cities one step from `city` on any ring in play."""
        senses = (CLOCKWISE_SENSE, COUNTER_CLOCKWISE_SENSE)
        return {
            self._next(Course(city, ring, sense))
            for ring in self._rings_of[city]
            for sense in senses
        }

    def trips(self, city: int, heading: int, is_sharp: bool) -> Iterator[list[Trip]]:
        """All trips of 1, 2, ... NUM_DISTANCES - 1 steps from `city`.

        With `is_sharp` (§8 Sharp turn) a switch may go on in either sense.
        """
        sense = CLOCKWISE_SENSE if heading == CLOCKWISE else COUNTER_CLOCKWISE_SENSE
        start = Course(city, self._home[city], sense)
        trips = [Trip(start, (), frozenset())]
        for step in range(1, NUM_DISTANCES):
            trips = [after for trip in trips for after in self._steps(trip, step, is_sharp)]
            yield trips

    def _steps(self, trip: Trip, step: int, is_sharp: bool) -> Iterator[Trip]:
        passed = trip.passed if step == 1 else trip.passed | {trip.course.city}
        for course in self._options(trip.course, is_sharp):
            moved = Course(self._next(course), course.ring, course.sense)
            switch = () if course.ring == trip.course.ring else (step,)
            yield Trip(moved, trip.switches + switch, passed)

    def _options(self, course: Course, is_sharp: bool) -> Iterator[Course]:
        yield course
        for ring in self._rings_of[course.city]:
            if ring != course.ring:
                yield Course(course.city, ring, -course.sense)
                if is_sharp:
                    yield Course(course.city, ring, course.sense)

    def _next(self, course: Course) -> int:
        cities = self._rings[course.ring]
        return cities[(cities.index(course.city) + course.sense) % len(cities)]


def landing_table(network: Network, is_sharp: bool) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """[city, distance] landings: clockwise in bits 0-27, counter-clockwise in bits 28-55."""
    table = np.zeros((NUM_CITIES, NUM_DISTANCES), np.uint64)
    for city in network.cities:
        for heading in range(NUM_HEADINGS):
            for distance, trips in enumerate(network.trips(city, heading, is_sharp), start=1):
                for landing in {trip.course.city for trip in trips}:
                    table[city, distance] |= np.uint64(1 << (heading * NUM_CITIES + landing))
    return table


def passed_table(network: Network) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """[city, heading, distance, landing] cities on the way, for Through shot (§8).

    Where several paths lead to a landing, the one with the fewest switches counts, then the one
    that stays longest on the ring it started on (§1.4).
    """
    shape = (NUM_CITIES, NUM_HEADINGS, NUM_DISTANCES, NUM_CITIES)
    table = np.zeros(shape, np.uint32)
    for city in network.cities:
        for heading in range(NUM_HEADINGS):
            for distance, trips in enumerate(network.trips(city, heading, False), start=1):
                for trip in sorted(trips, key=_plainness):
                    cities = sum(1 << other for other in trip.passed)
                    table[city, heading, distance, trip.course.city] = cities
    return table


def _plainness(trip: Trip) -> tuple[int, tuple[int, ...]]:
    """Greater for paths that come first: fewer switches, later ones."""
    return -len(trip.switches), trip.switches
