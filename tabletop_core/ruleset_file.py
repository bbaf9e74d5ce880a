"""What the ruleset files of all games have in common: heading, shipped files, checks, writing.

A ruleset file is a table file (`table_file`) whose section `[ruleset]` says for which game it is;
every section names its source. The files that a game ships lie in the folder `data` of its
package; `default.ruleset` is complete and explains the format in its comments.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, TypeVar, cast

from .errors import TabletopError
from .files import path_text
from .table_file import (
    Row,
    Section,
    SectionLayout,
    Violations,
    check_layout,
    decode_text,
    integer_cell,
    parse_table,
    read_text,
    shown,
)

HEADING = "ruleset"
DEFAULT_FILE = "default.ruleset"
FORMAT = "1"

TablesT = TypeVar("TablesT")
"""The tables of a game: a dataclass with `name`, `sources` and a field for each part."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")


class SectionChecker:
    """Reads the cells of one section and notes what is wrong with them under its rule."""

    def __init__(self, section: Section, layout: SectionLayout, violations: Violations) -> None:
        self.section = section
        self.violations = violations
        self.rule = layout.rule

    def report(self, what: str, row: Row | None = None, field: str | None = None) -> None:
        """Note a violation in a row or, without one, of the whole section."""
        line = self.section.line if row is None else row.line
        name = self.section.name
        self.violations.add(what, line=line, section=name, field=field, rule=self.rule)

    def integer(self, row: Row, column: str, low: int, high: int) -> int | None:
        """The whole number in a cell; None (and a violation) unless low <= number <= high."""
        return integer_cell(self.section, row, column, low, high, self.rule, self.violations)


@dataclass(frozen=True)
class RulesetFormat:
    """The ruleset files of one game.

    game_id: what `game` must be in the heading. package: where the shipped files are. tables: the
    sections of a complete file besides the heading, in order.
    """

    game_id: str
    package: str
    tables: Mapping[str, SectionLayout]

    def sections(
        self, text: str, violations: Violations, names: Sequence[str] | None = None
    ) -> tuple[str, dict[str, Section]]:
        """Name of the ruleset, and the heading and tables (all, or those of `names`) it holds.

        Sections whose columns are not right are left out (then there is a violation).
        """
        chosen = self.tables if names is None else {name: self.tables[name] for name in names}
        layouts = {HEADING: SectionLayout(("game", "format", "name", "source")), **chosen}
        sections = check_layout(parse_table(text, violations), layouts, violations)
        return self._read_heading(sections.get(HEADING), violations), sections

    def _read_heading(self, section: Section | None, violations: Violations) -> str:
        if section is None:
            return ""
        entries = section.entries
        for key, right in (("game", self.game_id), ("format", FORMAT)):
            if key in entries and entries[key].value != right:
                what = f"{shown(entries[key].value)} is not supported; it must be {right}"
                violations.add(what, line=entries[key].line, section=HEADING, field=key)
        if "name" not in entries:
            return ""
        name = entries["name"]
        if not _NAME.fullmatch(name.value):
            what = f"{shown(name.value)}: use 1 to 40 letters, digits, spaces, dots, - or _"
            violations.add(what, line=name.line, section=HEADING, field="name")
        return name.value

    def shipped(self, file: str) -> tuple[str, str]:
        """Text and name of a file in the package's folder data."""
        path = files(self.package) / "data" / file
        return decode_text(path.read_bytes(), file), file

    def text(
        self,
        name: str,
        sources: Mapping[str, str],
        rows: Mapping[str, Sequence[Sequence[object]]],
    ) -> str:
        """A complete file with the comments of the shipped one and other contents."""
        template, file = self.shipped(DEFAULT_FILE)
        template_sections = parse_table(template, Violations(file)).sections
        contents = self._section_texts(name, sources, rows)
        lines = []
        section = ""
        for number, line in enumerate(template.splitlines(), start=1):
            if not line or line.startswith(("#", "[")):
                lines.append(line)
                section = line[1:-1] if line.startswith("[") else section
            elif number == min(entry.line for entry in template_sections[section].entries.values()):
                lines += contents[section]
        return "\n".join(lines) + "\n"

    def _section_texts(
        self,
        name: str,
        sources: Mapping[str, str],
        rows: Mapping[str, Sequence[Sequence[object]]],
    ) -> dict[str, list[str]]:
        """For each section its lines without comments."""
        texts = {HEADING: [f"game = {self.game_id}", f"format = {FORMAT}", f"name = {name}"]}
        texts[HEADING].append(f"source = {sources.get(HEADING, '')}")
        for section, layout in self.tables.items():
            lines = texts.setdefault(section, [])
            lines.append(f"source = {sources.get(section, '')}")
            lines.append(",".join(layout.columns))
            lines += [",".join(map(str, row)) for row in rows[section]]
        return texts

    def text_of(
        self,
        tables: TablesT,
        rows: Mapping[str, Sequence[Sequence[object]]],
        parse: Callable[[str, str], TablesT],
    ) -> str:
        """A complete file with these tables, which `parse` reads back from text and file name.

        Raises:
            TabletopError: the tables (made by hand, say) are not valid.
        """
        name, sources = cast(Any, tables).name, cast(Any, tables).sources
        text = self.text(name, sources, rows)
        if parse(text, f"ruleset {name!r}") != tables:
            raise TabletopError(f"the tables of ruleset {name!r} cannot be written as text")
        return text


@dataclass(frozen=True)
class Variants:
    """One part of the shipped tables that an option replaces by another file.

    format: of the files; the file for the word "eights" of the option "deck" is
    deck_eights.ruleset. words: of the option; the first leaves the tables as they are. part: the
    section, and the field of the tables. what: is in it, for messages.
    """

    format: RulesetFormat
    option: str
    words: tuple[str, ...]
    part: str
    what: str

    def load(
        self,
        path: str | os.PathLike[str] | None,
        word: str,
        parse: Callable[[str, str], TablesT],
        shipped: Callable[[str], TablesT],
    ) -> TablesT:
        """The tables of a user's complete file, or (path None) the shipped ones for a word.

        Raises:
            TabletopError: there is no such word, or the file is not valid.
        """
        if not isinstance(word, str) or word not in self.words:
            known = ", ".join(self.words)
            raise TabletopError(f"{self.option} = {word!r}: choose one of {known}")
        if path is None:
            return shipped(word)
        conflicts = self.conflicts(path, word)
        if conflicts:
            raise TabletopError(conflicts[0])
        return parse(read_text(path), path_text(path))

    def conflicts(self, path: str | os.PathLike[str], word: str) -> list[str]:
        """Why a ruleset file and a word cannot be combined, if they cannot."""
        if word == self.words[0]:
            return []
        return [
            f"{self.option} = {word!r}: cannot be combined with the ruleset file "
            f"{path_text(path)}, which brings its own {self.what}"
        ]

    def replaced(
        self, tables: TablesT, word: str, read: Callable[[Section | None, Violations], Any]
    ) -> TablesT:
        """The tables with the part of a word in place of their own; `read` reads its section."""
        if word == self.words[0]:
            return tables
        text, file = self.format.shipped(f"{self.option}_{word}.ruleset")
        violations = Violations(file)
        name, sections = self.format.sections(text, violations, [self.part])
        changes = {"name": name, self.part: read(sections.get(self.part), violations)}
        violations.raise_if_any()
        sources = {**cast(Any, tables).sources, **sources_of(sections)}
        return cast(TablesT, replace(cast(Any, tables), **changes, sources=sources))


def sources_of(sections: Mapping[str, Section]) -> dict[str, str]:
    """Name of each section -> where its table comes from."""
    return {name: section.entries["source"].value for name, section in sections.items()}
