"""Plays the cases of scenarios line by line."""

from collections.abc import Mapping

from stargate_facts import check_fact
from stargate_scenarios import PLAYERS, Case, Line, ScenarioFault
from stargate_scene import Scene

from stargate_env.components import Card
from tabletop_core.errors import TabletopError

NOTHING_REPLACED: Mapping[str, Card] = {}


def play_case(case: Case, replaced: Mapping[str, Card] = NOTHING_REPLACED) -> None:
    """Play a case; with `replaced` cards in the place of those of the same id.

    Raises:
        ScenarioFault: it is malformed, or something is not as it expects; names file and line.
    """
    place = case.lines[0].place
    try:
        scene = Scene(case, replaced)
    except ScenarioFault:
        raise
    except (TabletopError, AssertionError, ValueError, KeyError) as fault:
        raise ScenarioFault(place, str(fault)) from fault
    for line in case.lines:
        if line.kind in ("action", "fact"):
            _play_line(scene, line)


def _play_line(scene: Scene, line: Line) -> None:
    speaker = -1
    for part in line.text.split(";"):
        text = part.strip()
        try:
            if line.kind == "fact":
                check_fact(scene, text)
            else:
                speaker = _act(scene, text, speaker)
        except AssertionError as fault:
            raise ScenarioFault(line.place, f"{text}: {fault}") from fault


def _act(scene: Scene, text: str, speaker: int) -> int:
    """Carry out `hero: play X`, `play X` of the same speaker, or a phrase; who speaks."""
    if text == "both pass":
        scene.both_pass()
        return -1
    if text == "next turn":
        scene.next_turn()
        return -1
    player, colon, action = text.partition(": ")
    if colon:
        if player not in PLAYERS:
            raise AssertionError(f"{player!r} is neither hero nor villain")
        return _act(scene, action, PLAYERS.index(player))
    if speaker < 0:
        raise AssertionError("nobody is said to do this (hero: .. or villain: ..)")
    scene.act(speaker, text)
    return speaker
