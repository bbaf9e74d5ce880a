"""`describe`: what a game looks like from outside, generated from its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Annotated, Any

import typer

from ..game import Game, Json, Ruleset, find_game
from ..session import TRUNCATED
from .common import (
    GameArgument,
    JsonOption,
    OptionsOption,
    new_table,
    parse_options,
    say,
    say_json,
    show_table,
)


def describe(
    game: GameArgument,
    players: Annotated[
        int | None, typer.Option(metavar="N", help="Number of players. Default: the fewest.")
    ] = None,
    option: OptionsOption = None,
    json: JsonOption = False,
) -> None:
    """Print the actions, observation, options and ends of a game, and the sources of its tables.

    With --option the values of the rule options, the digest and the sources are those of the
    ruleset that the options make.
    """
    chosen = find_game(game)
    description = as_json(chosen.ruleset(players, **parse_options(chosen, option)))
    if json:
        say_json(description)
    else:
        _show(chosen, description)


def as_json(ruleset: Ruleset) -> Json:
    """The description of a game under one ruleset as JSON types."""
    game = ruleset.game
    return {
        "game": game.id,
        "title": game.title,
        "module": game.module,
        "players": {
            "min": game.min_players,
            "max": game.max_players,
            "chosen": ruleset.num_players,
        },
        "num_actions": game.actions.count,
        "actions": [
            {
                "first": first,
                "last": last,
                "name": block.name,
                "count": block.count,
                "meaning": block.meaning,
            }
            for first, last, block in game.actions.rows()
        ],
        "observation_size": game.observation.size,
        "observation": [
            {
                "first": first,
                "end": end,
                "name": field.name,
                "shape": list(field.shape),
                "low": 0,
                "high": int(field.high),
                "meaning": field.meaning,
            }
            for first, end, field in game.observation.rows()
        ],
        "options": [_option_as_json(ruleset, option) for option in fields(game.options_type)],
        "prompts": list(game.prompts),
        "end_reasons": [*game.end_reasons, TRUNCATED],
        "ruleset_digest": f"{ruleset.digest:016x}",
        "sources": _sources(ruleset),
    }


def _option_as_json(ruleset: Ruleset, option: Field[Any]) -> Json:
    """One rule option; values, source and rule if the game tells them.

    It does by an object `text` in the metadata of the dataclass field, with these attributes.
    """
    text = option.metadata.get("text")
    details = {name: getattr(text, name, None) for name in ("values", "source", "rule")}
    return {
        "name": option.name,
        "default": _plain(option.default),
        "value": _plain(getattr(ruleset.options, option.name)),
        "meaning": ruleset.game.option_meanings.get(option.name, ""),
        **{name: str(detail) for name, detail in details.items() if detail is not None},
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str)) or value is None else str(value)


def _sources(ruleset: Ruleset) -> dict[str, str]:
    """Where each table comes from, if the game tells."""
    sources = getattr(ruleset.tables, "sources", None)
    if not isinstance(sources, Mapping):
        return {}
    return {str(name): str(source) for name, source in sources.items()}


# --- as text ---------------------------------------------------------------------------------


def _show(game: Game, description: Json) -> None:
    say(f"{game.title} ({game.id}), {_players(game)}; import {game.module}")
    _show_actions(description)
    _show_observation(description)
    _show_options(description)
    say(f"Decisions: {', '.join(description['prompts'])}")
    say()
    say(f"A game ends by: {', '.join(game.end_reasons)}; or is truncated by {TRUNCATED}")
    say()
    chosen = description["players"]["chosen"]
    say(f"Ruleset for {chosen} players: digest {description['ruleset_digest']}")
    if description["sources"]:
        _show_sources(description)


def _players(game: Game) -> str:
    if game.min_players == game.max_players:
        return f"{game.min_players} players"
    return f"{game.min_players} to {game.max_players} players"


def _show_actions(description: Json) -> None:
    say()
    say(f"Actions: {description['num_actions']}")
    table = new_table("ids", "name", "meaning")
    for row in description["actions"]:
        table.add_row(_span(row["first"], row["last"]), row["name"], row["meaning"])
    show_table(table)


def _show_observation(description: Json) -> None:
    say(f"Observation: uint8 [{description['observation_size']}]")
    table = new_table("entries", "name", "shape", "range", "meaning")
    for row in description["observation"]:
        shape = " x ".join(str(length) for length in row["shape"])
        entries = _span(row["first"], row["end"] - 1)
        table.add_row(entries, row["name"], shape, f"0..{row['high']}", row["meaning"])
    show_table(table)


def _show_options(description: Json) -> None:
    say("Rule options")
    table = new_table("option", "meaning")
    for row in description["options"]:
        lines = [row["meaning"]]
        lines += [f"{name}: {row[name]}" for name in ("values", "source", "rule") if name in row]
        if row["value"] != row["default"]:
            lines.append(f"default: {_word(row['default'])}")
        table.add_row(f"{row['name']}={_word(row['value'])}", "\n".join(lines))
    show_table(table)


def _show_sources(description: Json) -> None:
    table = new_table("table", "source")
    for name, source in description["sources"].items():
        table.add_row(name, source)
    show_table(table)


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}..{last}"


def _word(value: Any) -> str:
    """A value as --option takes it."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
