"""Text files that hold a game's rule tables: reading, checking and writing, for any game.

A table file is UTF-8 text. Blank lines and lines that start with ``#`` are ignored. A line
``[name]`` opens a section; in it come first lines ``key = value`` and then, if the section has a
table, a line with the column names and one line per row, cells separated by commas (no quoting)::

    [planets]
    source = my own box
    id,jump,scan,land_a,land_b
    P01,1,2,1,3

How a game uses it::

    violations = Violations(file)
    table = parse_table(text, violations)
    sections = check_layout(table, LAYOUTS, violations)
    ...                          # the game's own checks call violations.add(...)
    violations.raise_if_any()    # one TabletopError that names every violation
"""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import TabletopError
from .files import new_file, path_text, reason

MAX_FILE_BYTES = 1 << 20
MAX_LISTED_VIOLATIONS = 1000

_SECTION_LINE = re.compile(r"\[([a-z][a-z0-9_]*)\]")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_SHOWN_LENGTH = 40


# --- what a file holds ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """The value of one ``key = value`` line; `line` counts from 1."""

    value: str
    line: int


@dataclass(frozen=True)
class Row:
    """One row of a table: column name -> text of the cell; `line` counts from 1."""

    cells: Mapping[str, str]
    line: int


@dataclass
class Section:
    """One section. Rows with a wrong number of cells are reported and only counted."""

    name: str
    line: int
    entries: dict[str, Entry] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    columns_line: int = 0
    rows: list[Row] = field(default_factory=list)
    malformed_row_count: int = 0

    @property
    def row_count(self) -> int:
        """Number of rows, malformed ones included."""
        return len(self.rows) + self.malformed_row_count


@dataclass(frozen=True)
class TableFile:
    """All sections of a file by name, in the order of the file."""

    sections: Mapping[str, Section]


@dataclass(frozen=True)
class SectionLayout:
    """What a game expects of a section.

    keys: the keys, all of them required. columns: the column names in order; empty if the section
    has no table. rule: where the game's rules document describes the table.
    """

    keys: tuple[str, ...]
    columns: tuple[str, ...] = ()
    rule: str | None = None


# --- collecting what is wrong ---------------------------------------------------------------------


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong. `rule` None: the file format itself is broken, not a game rule."""

    file: str
    what: str
    line: int | None = None
    section: str | None = None
    field: str | None = None
    rule: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        section = None if self.section is None else f"[{self.section}]"
        subject = " ".join(part for part in (section, self.field) if part)
        words = [part for part in (place, subject, self.what) if part]
        return f"{': '.join(words)} ({self.rule or 'file format'})"


class Violations:
    """Collects every violation of one file, to be reported together."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.items: list[Violation] = []

    def __bool__(self) -> bool:
        return bool(self.items)

    def add(
        self,
        what: str,
        *,
        line: int | None = None,
        section: str | None = None,
        field: str | None = None,
        rule: str | None = None,
    ) -> None:
        """Note one violation; see `Violation` for the arguments."""
        self.items.append(Violation(self.file, what, line, section, field, rule))

    def raise_if_any(self) -> None:
        """Raise one TabletopError that lists the violations in the order of the file's lines.

        Of a file with more than MAX_LISTED_VIOLATIONS (it is not a table file at all) the first
        ones are listed and the others counted.
        """
        if not self.items:
            return
        ordered = sorted(self.items, key=lambda item: item.line or 0)
        lines = [f"  {item}" for item in ordered[:MAX_LISTED_VIOLATIONS]]
        if len(ordered) > MAX_LISTED_VIOLATIONS:
            lines.append(f"  and {len(ordered) - MAX_LISTED_VIOLATIONS} more")
        count = "1 violation" if len(ordered) == 1 else f"{len(ordered)} violations"
        raise TabletopError("\n".join([f"{self.file} has {count}:", *lines]))


def shown(text: str) -> str:
    """Quoted text for a message: unprintable characters escaped, long text cut."""
    return repr(text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "...")


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileText(os.PathLike[str]):
    """A file given by what it holds: taken wherever a game takes the path of a table file."""

    text: str
    name: str = "the given text"
    """What messages call it."""

    def __fspath__(self) -> str:
        return self.name


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a table file.

    Raises TabletopError if there is no such file, it is not a regular file, it cannot be read, is
    larger than MAX_FILE_BYTES or is not UTF-8 text.
    """
    file = path_text(path)
    if isinstance(path, FileText):
        return decode_text(path.text.encode("utf-8", "surrogatepass"), file)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise TabletopError(f"{file} is not a regular file")
        with open(path, "rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except TabletopError:
        raise
    except FileNotFoundError:
        raise TabletopError(f"{file}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise TabletopError(f"{file} cannot be read: {reason(error)}") from None
    return decode_text(data, file)


def decode_text(data: bytes, file: str) -> str:
    """UTF-8 bytes to text; a byte order mark at the start is dropped. `file` names it in errors."""
    if len(data) > MAX_FILE_BYTES:
        raise TabletopError(f"{file} is larger than {MAX_FILE_BYTES} bytes: not a table file")
    if b"\0" in data:
        raise TabletopError(f"{file} holds zero bytes: not a text file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TabletopError(f"{file}:{line}: not UTF-8 text: {error.reason}") from None


def parse_table(text: str, violations: Violations) -> TableFile:
    """Split text into sections; whatever does not fit the format goes to `violations`."""
    parser = _Parser(violations)
    for line, raw in enumerate(text.split("\n"), start=1):
        content = raw.replace("\t", " ").strip(" \r")
        if content and not content.startswith("#"):
            parser.take(line, content)
    return TableFile(parser.sections)


class _Parser:
    """Reads the lines of one file, one after the other."""

    def __init__(self, violations: Violations) -> None:
        self.violations = violations
        self.sections: dict[str, Section] = {}
        self.current: Section | None = None
        self.has_stray_text = False

    def take(self, line: int, content: str) -> None:
        """Take one line that is neither blank nor a comment."""
        if not content.isprintable():
            odd = next(char for char in content if not char.isprintable())
            self._add(f"character U+{ord(odd):04X} is not allowed", line)
        if content.startswith("["):
            self._open_section(line, content)
        elif self.current is None:
            self._stray_text(line, content)
        elif not self.current.columns and "=" in content:
            self._take_entry(self.current, line, content)
        elif not self.current.columns:
            self.current.columns = _cells(content)
            self.current.columns_line = line
        else:
            self._take_row(self.current, line, content)

    def _open_section(self, line: int, content: str) -> None:
        match = _SECTION_LINE.fullmatch(content)
        name = match[1] if match else ""
        # A section that cannot be kept is still read, so that its own violations are found.
        self.current = Section(name, line)
        if not match:
            self._add(f"{shown(content)} is not a section line like [name]", line)
        elif name in self.sections:
            first = self.sections[name].line
            self._add(f"the section is already in line {first}", line)
        else:
            self.sections[name] = self.current

    def _stray_text(self, line: int, content: str) -> None:
        if not self.has_stray_text:
            self._add(f"{shown(content)} stands before the first section", line)
        self.has_stray_text = True

    def _take_entry(self, section: Section, line: int, content: str) -> None:
        key, _, value = (part.strip() for part in content.partition("="))
        if not _KEY.fullmatch(key):
            self._add(f"{shown(key)} is not a key like source", line)
        elif key in section.entries:
            self._add(f"the key is already in line {section.entries[key].line}", line, key)
        else:
            section.entries[key] = Entry(value, line)
            if not value:
                self._add("the value is empty", line, key)

    def _take_row(self, section: Section, line: int, content: str) -> None:
        cells = _cells(content)
        if len(cells) == len(section.columns):
            section.rows.append(Row(dict(zip(section.columns, cells, strict=True)), line))
            return
        section.malformed_row_count += 1
        hint = "; key = value lines stand above the column names" if "=" in content else ""
        self._add(
            f"the row must have {len(section.columns)} cells ({','.join(section.columns)}), "
            f"not {len(cells)}{hint}",
            line,
        )

    def _add(self, what: str, line: int, field: str | None = None) -> None:
        section = (self.current and self.current.name) or None
        self.violations.add(what, line=line, section=section, field=field)


def _cells(content: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in content.split(","))


# --- checking -------------------------------------------------------------------------------------


def check_layout(
    table: TableFile, layouts: Mapping[str, SectionLayout], violations: Violations
) -> dict[str, Section]:
    """Compare sections, keys and column names with the game's layouts.

    Returns the sections whose column names are right: their rows have exactly the cells that the
    layout names. A key may still be missing (then a violation says so).
    """
    for name, section in table.sections.items():
        if name not in layouts:
            known = ", ".join(layouts)
            violations.add(f"unknown section; known: {known}", line=section.line, section=name)
    usable: dict[str, Section] = {}
    for name, layout in layouts.items():
        found = table.sections.get(name)
        if found is None:
            violations.add("the section is missing", section=name, rule=layout.rule)
            continue
        _check_keys(found, layout.keys, violations)
        if _has_right_columns(found, layout, violations):
            usable[name] = found
    return usable


def _check_keys(section: Section, keys: Sequence[str], violations: Violations) -> None:
    for key, entry in section.entries.items():
        if key not in keys:
            what = f"unknown key; known: {', '.join(keys)}"
            violations.add(what, line=entry.line, section=section.name, field=key)
    for key in keys:
        if key not in section.entries:
            what = f"the line '{key} = ...' is missing"
            violations.add(what, line=section.line, section=section.name, field=key)


def _has_right_columns(section: Section, layout: SectionLayout, violations: Violations) -> bool:
    if section.columns == layout.columns:
        return True
    line = section.columns_line or section.line
    if not layout.columns:
        what = f"no table belongs here, only keys: {', '.join(layout.keys)}"
    elif not section.columns:
        what = f"the table is missing; its column names are {','.join(layout.columns)}"
    else:
        given = ",".join(section.columns)
        what = f"the column names are {','.join(layout.columns)}, not {shown(given)}"
    violations.add(what, line=line, section=section.name, rule=layout.rule)
    return False


def integer_cell(
    section: Section,
    row: Row,
    column: str,
    low: int,
    high: int,
    rule: str | None,
    violations: Violations,
) -> int | None:
    """The whole number in a cell; None (and a violation) unless low <= number <= high."""
    text = row.cells[column]
    if _INTEGER.fullmatch(text) and low <= int(text) <= high:
        return int(text)
    what = f"{shown(text)} is not a whole number from {low} to {high}"
    violations.add(what, line=row.line, section=section.name, field=column, rule=rule)
    return None


# --- writing --------------------------------------------------------------------------------------


def write_new_file(path: str | os.PathLike[str], text: str) -> None:
    """Write a new UTF-8 file: it appears complete or not at all, and never replaces another one.

    Raises TabletopError if something of that name exists or the file cannot be written.
    """
    with new_file(path) as stream:
        stream.write(text.encode("utf-8"))
