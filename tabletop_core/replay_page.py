"""A game as one HTML file that needs nothing else: pictures step by step, and the log in words."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from .canvas import Drawing
from .errors import TabletopError
from .game import Json
from .svg import svg_lines


def replay_page(drawings: Iterable[Drawing], title: str) -> str:
    """The text of an HTML file that shows the drawings one after the other.

    It has buttons, keys (arrows, Home, End, space) and a slider, and plays by itself. It loads
    nothing and its content security policy forbids that anything is loaded. Lines of SVG that
    several pictures share are in it once.

    Raises:
        TabletopError: there is no drawing.
    """
    data = _as_data(drawings)
    if not data["steps"]:
        raise TabletopError("a replay needs at least one picture")
    folder = files(__package__)
    script = (folder / "replay_page.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(script.encode()).digest()
    page = (folder / "replay_page.html").read_text(encoding="utf-8")
    parts = {
        "script_hash": base64.b64encode(digest).decode(),
        "script": script,
        "title": escape(title),
        # "<" could end the element that holds the data.
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    for name, text in parts.items():
        before, after = page.split("{{" + name + "}}", 1)
        page = before + text + after
    return page


def _as_data(drawings: Iterable[Drawing]) -> Json:
    """What the script of the page reads."""
    numbers: dict[str, int] = {}
    data: Json = {"lines": [], "steps": [], "titles": [], "log": []}
    for drawing in drawings:
        used = [numbers.setdefault(line, len(numbers)) for line in svg_lines(drawing)]
        data["steps"].append(_runs(used))
        data["titles"].append(drawing.title)
        data["log"].append(drawing.log)
    data["lines"] = list(numbers)
    return data


def _runs(used: Iterable[int]) -> list[int]:
    """Numbers as start and length of runs of consecutive ones: 4 5 6 2 3 -> 4 3 2 2."""
    runs: list[int] = []
    for number in used:
        if runs and number == runs[-2] + runs[-1]:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs
