"""What the tests of ruleset files of all games share: changed files, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from tabletop_core.errors import TabletopError


@dataclass(frozen=True)
class RulesetText:
    """A shipped ruleset file, and how the game reads and writes such files."""

    text: str
    parse: Callable[[str, str], Any]
    write: Callable[[Any], str]
    load: Callable[[Path], Any]

    @classmethod
    def shipped(cls, components: Any, file: str = "default.ruleset") -> RulesetText:
        """The file that a game ships; `components` is the game's module of this name."""
        package = components.__name__.partition(".")[0]
        text = (files(package) / "data" / file).read_text(encoding="utf-8")
        return cls(text, components.parse_tables, components.tables_to_text, components.load_tables)

    def errors_of(self, text: str) -> list[str]:
        """The violations in a text, one line each."""
        with pytest.raises(TabletopError) as caught:
            self.parse(text, "my.ruleset")
        first, *rest = str(caught.value).splitlines()
        count = f"{len(rest)} violation{'s' if len(rest) > 1 else ''}"
        assert first == f"my.ruleset has {count}:"
        return [line.strip() for line in rest]

    def check_wrong_line(self, old: str, new: str, field: str, message: str, rule: str) -> None:
        """The violation is told with file, line, section, field and rule.

        The line is that of the replaced text, which stands once in the file (at the beginning of a
        line if it is a whole line).
        """
        start = f"\n{old}" if old.endswith("\n") else old
        assert self.text.count(start) == 1
        position = self.text.index(start) + len(start) - len(old)
        line = self.text.count("\n", 0, position) + 1
        errors = self.errors_of(self.text[:position] + new + self.text[position + len(old) :])
        told = [error for error in errors if message in error]
        assert told, errors
        assert told[0].startswith(f"my.ruleset:{line}: {field}: ")
        assert told[0].endswith(f"(RULES.md {rule})" if rule.startswith("§") else "(file format)")

    def check_all_violations(self, changes: list[tuple[str, str]], count: int) -> None:
        """So many violations are told at once, by line; each text that is changed stands once."""
        text = self.text
        for old, new in changes:
            assert text.count(old) == 1
            text = text.replace(old, new)
        errors = self.errors_of(text)
        assert len(errors) == count
        lines = [int(error.split(":")[1]) for error in errors]
        assert lines == sorted(lines)

    def line_of(self, start: str) -> int:
        """Number of the line that begins so."""
        return self.text.count("\n", 0, self.text.index(f"\n{start}") + 1) + 1

    def check_section_is_required(self, section: str) -> None:
        """So are the section and the line that says where its table comes from."""
        start = self.text.index(f"\n[{section}]\n") + 1
        end = self.text.find("\n[", start) + 1 or len(self.text)
        errors = self.errors_of(self.text[:start] + self.text[end:])
        assert len(errors) == 1
        assert errors[0].startswith(f"my.ruleset: [{section}]: the section is missing")
        source = self.text.index("\nsource = ", start) + 1
        after = self.text[self.text.index("\n", source) + 1 :]
        errors = self.errors_of(self.text[:source] + after)
        assert len(errors) == 1
        assert f"[{section}] source: the line 'source = ...' is missing" in errors[0]

    def check_is_valid_or_refused(self, text: str) -> Any | None:
        """Its tables, which can be written and read again, or None."""
        try:
            tables = self.parse(text, "my.ruleset")
        except TabletopError as error:
            assert "violation" in str(error)
            return None
        assert self.parse(self.write(tables), "my.ruleset") == tables
        return tables

    def check_bytes_are_valid_or_refused(self, data: bytes, at: int, path: Path) -> None:
        """Bytes as a file, and in the place of others from `at` on."""
        whole = self.text.encode()
        for content in (data, whole[:at] + data + whole[at + len(data) :]):
            path.write_bytes(content)
            try:
                tables = self.load(path)
            except TabletopError:
                continue
            assert tables == self.parse(self.write(tables), "my.ruleset")


@st.composite
def mutated_texts(draw: st.DrawFn, text: str, cells: st.SearchStrategy[str]) -> str:
    """A file with some lines deleted, repeated, moved or changed in one cell."""
    lines = text.splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        how = draw(st.sampled_from(["delete", "repeat", "move", "cell", "cut", "insert"]))
        if how == "delete":
            del lines[at]
        elif how == "repeat":
            lines.insert(at, lines[at])
        elif how == "move":
            lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
        elif how == "cell":
            row = lines[at].split(",")
            row[draw(st.integers(0, len(row) - 1))] = draw(cells)
            lines[at] = ",".join(row)
        elif how == "cut":
            lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
        else:
            lines.insert(at, draw(st.text(alphabet="[]=#,;a1 -\r\t\0é", max_size=8)))
    return "\n".join(lines)
