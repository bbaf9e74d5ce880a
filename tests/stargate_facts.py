"""What scenarios expect: one function for each sentence that a line with `=` can hold."""

import re
from collections.abc import Callable
from typing import Final

from stargate_layout import CONDITIONS
from stargate_plain_cards import GLYPH_NAMES, SKILL_NAMES
from stargate_scenarios import PLAYERS
from stargate_scene import PLACES, Scene

from stargate_env import rules
from stargate_env.derived import (
    cost_to_complicate,
    cost_to_play,
    difficulty,
    hero_total,
    revive_cost,
)
from stargate_env.evaluate import firepower_of, required_skill
from stargate_env.sizes import NO_RATING
from stargate_env.state import ATTACHED, BLOCKADED, GLYPH, PROMPTS, SEAT_STRIDE, TUCKED, ZONES
from stargate_env.table import (
    contains,
    count_experience,
    count_glyphs,
    count_villain_score,
    current_rating,
    hand_size,
    point_total,
)

NUMBER: Final = r"(\d+)"
_FROM_HAND: Final = ("play", "boost with", "complicate with")
_CARD_ACTION: Final = re.compile(
    rf"({'|'.join(_FROM_HAND)}|assign|use|choose) (?:hero |villain )?(?!complication )(\S+)"
)
_NUMBER_ACTION: Final = re.compile(r"(option|number|choose complication) \d+")
_PLAIN_ACTIONS: Final = ("pass", "yes", "no", "done", "revive", "score", "let die")


def check_fact(scene: Scene, text: str) -> None:
    """Raise AssertionError unless the sentence is true, or if there is no such sentence."""
    for pattern, sentence in _SENTENCES:
        match = pattern.fullmatch(text)
        if match:
            sentence(scene, *match.groups())
            return
    raise AssertionError(f"{text!r} is no sentence that can be checked")


def _same(found: object, expected: object, what: str = "found") -> None:
    if found != expected:
        raise AssertionError(f"{what}: {found}")


def _card(scene: Scene, name: str) -> int:
    """The card that `BS-130`, `BS-130.2` or `hero BS-130` names."""
    owner, _, rest = name.rpartition(" ")
    return scene.number_of(rest, PLAYERS.index(owner) if owner else None)


def _seat(player: str) -> int:
    return PLAYERS.index(player)


# --- one card -----------------------------------------------------------------------------------


def _has_condition(scene: Scene, name: str, condition: str) -> None:
    card = _card(scene, name)
    _same(ZONES[scene.s.zone[card]], "play", "it lies in")
    _same(CONDITIONS[scene.s.condition[card]], condition)


def _is_in(scene: Scene, name: str, place: str) -> None:
    _same(ZONES[scene.s.zone[_card(scene, name)]], ZONES[PLACES[place]])


def _is_the_mission(scene: Scene, name: str) -> None:
    card = _card(scene, name)
    _same(ZONES[scene.s.zone[card]], "current")


def _lies_beneath(scene: Scene, name: str, how: str, host: str) -> None:
    zone = _BENEATH[how]
    card = _card(scene, name)
    _same(ZONES[scene.s.zone[card]], ZONES[zone])
    _same(int(scene.s.host[card]), _card(scene, host), "number of its host")


def _is_blocked(scene: Scene, name: str, negation: str | None) -> None:
    card = _card(scene, name)
    _same(bool(contains(scene.refreshed().blocked, card)), not negation, "blocked")


def _rating(scene: Scene, card: int, skill: int) -> str:
    rating = int(current_rating(scene.r, scene.refreshed(), card, skill))
    return "-" if rating == NO_RATING else str(rating)


def _has_rating(scene: Scene, name: str, skill: str, rating: str) -> None:
    _same(_rating(scene, _card(scene, name), SKILL_NAMES.index(skill)), rating)


def _has_ratings(scene: Scene, name: str, ratings: str) -> None:
    card = _card(scene, name)
    _same("/".join(_rating(scene, card, skill) for skill in range(len(SKILL_NAMES))), ratings)


def _costs(scene: Scene, name: str, number: str) -> None:
    _same(int(cost_to_play(scene.r, scene.refreshed(), _card(scene, name))), int(number))


def _has_revive_cost(scene: Scene, name: str, number: str) -> None:
    _same(int(revive_cost(scene.r, scene.refreshed(), _card(scene, name))), int(number))


def _has_firepower(scene: Scene, name: str, number: str) -> None:
    _same(int(firepower_of(scene.r, scene.refreshed(), _card(scene, name))), int(number))


def _has_tokens(scene: Scene, name: str, number: str) -> None:
    _same(int(scene.s.tokens[_card(scene, name)]), int(number))


def _has_glyphs(scene: Scene, name: str, letters: str) -> None:
    host = _card(scene, name)
    found = [
        GLYPH_NAMES[int(scene.r.glyph[scene.s.kind[card]])]
        for card in scene.names
        if scene.s.zone[card] == GLYPH and int(scene.s.host[card]) == host
    ]
    _same("".join(sorted(found)) or "none", letters)


def _is_known(scene: Scene, name: str, negation: str | None, player: str) -> None:
    known = bool(int(scene.s.known[_card(scene, name)]) >> _seat(player) & 1)
    _same(known, not negation, "known")


def _knows_of_hand(scene: Scene, player: str, number: str, owner: str) -> None:
    hand = [card for card in scene.names if ZONES[scene.s.zone[card]] == "hand"]
    held = [card for card in hand if card // SEAT_STRIDE == _seat(owner)]
    _same(sum(int(scene.s.known[card]) >> _seat(player) & 1 for card in held), int(number))


# --- one player ---------------------------------------------------------------------------------


def _tally(scene: Scene, player: str, what: str, number: str) -> None:
    s = scene.refreshed()
    seat = _seat(player)
    tallies: dict[str, Callable[[], int]] = {
        "power": lambda: s.power[seat],
        "hand": lambda: hand_size(s, seat),
        "deck": lambda: s.deck_size[seat],
        "missions": lambda: s.missions_size[seat],
        "glyphs": lambda: count_glyphs(s, seat),
        "xp": lambda: count_experience(scene.r, s, seat),
        "score": lambda: count_villain_score(scene.r, s, seat),
        "goal": lambda: point_total(scene.r, s, 1 - seat),
        "discard": lambda: sum(
            ZONES[s.zone[card]] == "discard" for card in scene.names if card // SEAT_STRIDE == seat
        ),
    }
    _same(int(tallies[what]()), int(number))


def _pile_end(scene: Scene, player: str, pile: str, end: str, names: str) -> None:
    seat = _seat(player)
    s = scene.s
    size = int(s.deck_size[seat] if pile == "deck" else s.missions_size[seat])
    order = (s.deck if pile == "deck" else s.missions)[seat][:size]
    from_top = [scene.names[seat * SEAT_STRIDE + int(place)] for place in reversed(order)]
    expected = [name.strip() for name in names.split(",")]
    count = len(expected)
    _same(from_top[:count] if end == "top" else from_top[-count:], expected, "from the top")


def _is_asked(scene: Scene, player: str, prompt: str) -> None:
    if prompt not in PROMPTS:
        raise AssertionError(f"there is no prompt {prompt!r}, there are {', '.join(PROMPTS)}")
    scene.require_asked(_seat(player))
    _same(scene.prompt, prompt, "the prompt")


def _can(scene: Scene, player: str, negation: str, action: str) -> None:
    seat = _seat(player)
    scene.require_asked(seat)
    _require_card(scene, seat, action)
    is_legal = bool(scene.fitting(seat, action))
    if is_legal != (negation == "can"):
        raise AssertionError(f"legal are {sorted(scene.legal())}")


def _require_card(scene: Scene, seat: int, action: str) -> None:
    """That an action names a card which is where such an action could take it from."""
    match = _CARD_ACTION.fullmatch(action)
    if match is None:
        if action not in _PLAIN_ACTIONS and not _NUMBER_ACTION.fullmatch(action):
            raise AssertionError(f"there is no action {action!r}")
        return
    verb, name = match.groups()
    numbers = scene.numbers_of(name, seat if verb != "choose" else None)
    if verb in _FROM_HAND and not any(ZONES[scene.s.zone[k]] == "hand" for k in numbers):
        raise AssertionError(f"{name} is in no hand")


def _chooses_among(scene: Scene, player: str, names: str) -> None:
    scene.require_asked(_seat(player))
    found = []
    for action in scene.legal():
        verb, _, name = action.rpartition(" ")
        is_card = verb.startswith("choose") and verb != "choose complication"
        found.append(name.partition(".")[0] if is_card else action.removeprefix("choose "))
    _same(sorted(found), sorted(name.strip() for name in names.split(",")), "the choice is")


def _wins(scene: Scene, player: str) -> None:
    if not scene.is_over:
        raise AssertionError("the game goes on")
    _same(PROMPTS[int(scene.s.prompt)], "over", "the prompt is")
    _same(int(scene.s.winner), _seat(player), "winning seat")


def _has_turn(scene: Scene, player: str) -> None:
    _same(PLAYERS[int(scene.s.hero)], player, "the turn is that of")


# --- the mission ----------------------------------------------------------------------------------


def _difficulty(scene: Scene, number: str) -> None:
    _same(int(difficulty(scene.r, scene.refreshed())), int(number))


def _hero_total(scene: Scene, number: str) -> None:
    _same(int(hero_total(scene.r, scene.refreshed())), int(number))


def _requires(scene: Scene, skill: str) -> None:
    _same(SKILL_NAMES[int(required_skill(scene.r, scene.refreshed()))], skill)


def _complication_cost(scene: Scene, number: str) -> None:
    _same(int(cost_to_complicate(scene.refreshed())), int(number))


def _continue_cost(scene: Scene, number: str) -> None:
    _same(int(rules.cost_to_continue(scene.refreshed())), int(number))


def _complications(scene: Scene, number: str) -> None:
    _same(int(scene.s.complication_count), int(number))


_BENEATH: Final = {
    "a glyph of": GLYPH,
    "tucked under": TUCKED,
    "attached to": ATTACHED,
    "blockaded by": BLOCKADED,
}
_PLAYER: Final = "(hero|villain)"
_NAME: Final = r"((?:hero |villain )?[^\s,;]+)"
_SKILL: Final = "(" + "|".join(SKILL_NAMES) + ")"
_SENTENCES: Final = tuple(
    (re.compile(pattern), function)
    for pattern, function in (
        (f"{_PLAYER} (power|hand|deck|missions|glyphs|xp|score|goal|discard) {NUMBER}", _tally),
        (f"{_PLAYER} (deck|missions) (top|bottom) (.+)", _pile_end),
        (f"{_PLAYER} asked (\\w+)", _is_asked),
        (f"{_PLAYER} (can|cannot) (.+)", _can),
        (f"{_PLAYER} chooses among (.+)", _chooses_among),
        (f"{_PLAYER} knows {NUMBER} of {_PLAYER} hand", _knows_of_hand),
        (f"{_PLAYER} wins", _wins),
        (f"{_PLAYER} turn", _has_turn),
        (f"difficulty {NUMBER}", _difficulty),
        (f"total {NUMBER}", _hero_total),
        (f"requires {_SKILL}", _requires),
        (f"complication costs {NUMBER}", _complication_cost),
        (f"continuing costs {NUMBER}", _continue_cost),
        (f"complications {NUMBER}", _complications),
        (f"{_NAME} ({'|'.join(CONDITIONS)})", _has_condition),
        (f"{_NAME} in (hand|deck|missions|play|discard|score|failed|complications)", _is_in),
        (f"{_NAME} (at mission)", _is_in),
        (f"{_NAME} is the mission", _is_the_mission),
        (f"{_NAME} ({'|'.join(_BENEATH)}) {_NAME}", _lies_beneath),
        (f"{_NAME} (not )?blocked", _is_blocked),
        (f"{_NAME} {_SKILL} (\\d+|-)", _has_rating),
        (f"{_NAME} skills (\\S+)", _has_ratings),
        (f"{_NAME} costs {NUMBER}", _costs),
        (f"{_NAME} revive {NUMBER}", _has_revive_cost),
        (f"{_NAME} firepower {NUMBER}", _has_firepower),
        (f"{_NAME} tokens {NUMBER}", _has_tokens),
        (f"{_NAME} glyphs ([{''.join(GLYPH_NAMES)}]+|none)", _has_glyphs),
        (f"{_NAME} (not )?known to {_PLAYER}", _is_known),
    )
)
