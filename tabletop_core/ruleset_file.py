"""What the ruleset files of all games have in common: heading, shipped files, checks, writing.

A ruleset file is a table file (`table_file`) whose section `[ruleset]` says for which game it is;
every section names its source. The files that a game ships lie in the folder `data` of its
package; `default.ruleset` is complete and explains the format in its comments.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from .table_file import (
    Row,
    Section,
    SectionLayout,
    Violations,
    check_layout,
    decode_text,
    integer_cell,
    parse_table,
    shown,
)

HEADING = "ruleset"
DEFAULT_FILE = "default.ruleset"
FORMAT = "1"

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


def sources_of(sections: Mapping[str, Section]) -> dict[str, str]:
    """Name of each section -> where its table comes from."""
    return {name: section.entries["source"].value for name, section in sections.items()}
