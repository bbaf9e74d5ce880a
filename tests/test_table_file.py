"""The text format of rule tables and the writing of new files."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabletop_core import table_file
from tabletop_core.errors import TabletopError
from tabletop_core.table_file import (
    MAX_FILE_BYTES,
    MAX_LISTED_VIOLATIONS,
    Section,
    SectionLayout,
    Violations,
    check_layout,
    decode_text,
    integer_cell,
    parse_table,
    read_text,
    write_new_file,
)

SAMPLE = """\
# A comment
[meta]
name = sample

[rings]
source = a = b, with a comma
# a comment inside
ring,city
EARTH, New York
EARTH,Cairo
"""
LAYOUTS = {
    "meta": SectionLayout(("name",)),
    "rings": SectionLayout(("source",), ("ring", "city"), "RULES.md §1"),
}


def violations_of(text: str, layouts: dict[str, SectionLayout] | None = LAYOUTS) -> list[str]:
    violations = Violations("file")
    table = parse_table(text, violations)
    if layouts is not None:
        check_layout(table, layouts, violations)
    return [str(item) for item in violations.items]


# --- parsing --------------------------------------------------------------------------------------


def test_sections_keys_rows_and_line_numbers() -> None:
    violations = Violations("file")
    table = parse_table(SAMPLE, violations)
    assert not violations
    assert list(table.sections) == ["meta", "rings"]
    rings = table.sections["rings"]
    assert rings.line == 5
    assert rings.entries["source"].value == "a = b, with a comma"
    assert rings.entries["source"].line == 6
    assert rings.columns == ("ring", "city")
    assert [row.line for row in rings.rows] == [9, 10]
    assert rings.rows[0].cells == {"ring": "EARTH", "city": "New York"}
    assert list(check_layout(table, LAYOUTS, violations)) == ["meta", "rings"]
    assert not violations


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text.replace("EARTH,", "\tEARTH ,\t"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("name = sample", "name=sample"),
    ],
)
def test_blanks_and_line_ends_do_not_matter(change: object) -> None:
    assert callable(change)
    changed = parse_table(change(SAMPLE), Violations("file"))
    original = parse_table(SAMPLE, Violations("file"))
    for name, section in original.sections.items():
        other = changed.sections[name]
        assert [row.cells for row in other.rows] == [row.cells for row in section.rows]
        assert other.entries.keys() == section.entries.keys()
    assert not violations_of(change(SAMPLE))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[meta]", "", "file:3: 'name = sample' stands before the first section (file format)"),
        ("[meta]", "[Meta]", "file:2: '[Meta]' is not a section line like [name] (file format)"),
        ("[meta]", "[meta] # x", "file:2: '[meta] # x' is not a section line"),
        ("[rings]", "[meta]", "file:5: [meta]: the section is already in line 2 (file format)"),
        ("[rings]", "[tiles]", "file:5: [tiles]: unknown section; known: meta, rings"),
        ("[rings]", "[tiles]", "file: [rings]: the section is missing (RULES.md §1)"),
        ("name = sample", "name =", "file:3: [meta] name: the value is empty"),
        ("name = sample", "", "file:2: [meta] name: the line 'name = ...' is missing"),
        ("name = sample", "Na me = x", "file:3: [meta]: 'Na me' is not a key like source"),
        (
            "name = sample",
            "name = a\nname = b",
            "file:4: [meta] name: the key is already in line 3",
        ),
        ("name = sample", "name = a\nage = 3", "file:4: [meta] age: unknown key; known: name"),
        ("name = sample", "name = a\nx,y", "file:4: [meta]: no table belongs here"),
        ("ring,city", "ring,town", "file:8: [rings]: the column names are ring,city, not 'ring,t"),
        ("ring,city", "city,ring", "file:8: [rings]: the column names are ring,city"),
        ("ring,city", "ring,ring", "file:8: [rings]: the column names are ring,city"),
        ("EARTH,Cairo", "EARTH", "file:10: [rings]: the row must have 2 cells (ring,city), not 1"),
        (
            "EARTH,Cairo",
            "EARTH,Cairo,",
            "file:10: [rings]: the row must have 2 cells (ring,city), not 3",
        ),
        ("EARTH,Cairo", "source = x", "file:10: [rings]: the row must have 2 cells (ring,city)"),
        ("EARTH,Cairo", "source = x", "key = value lines stand above the column names"),
        ("Cairo", "Cai\x07ro", "file:10: [rings]: character U+0007 is not allowed"),
        ("Cairo", "Cai\u2028ro", "file:10: [rings]: character U+2028 is not allowed"),
        ("Cairo", "Cai\rro", "file:10: [rings]: character U+000D is not allowed"),
    ],
)
def test_violations_of_the_format(old: str, new: str, expected: str) -> None:
    assert SAMPLE.count(old) == 1
    found = violations_of(SAMPLE.replace(old, new))
    assert any(expected in line for line in found), found


def test_table_without_column_names_is_missing() -> None:
    text = SAMPLE[: SAMPLE.index("ring,city")]
    expected = "file:5: [rings]: the table is missing; its column names are ring,city (RULES.md §1)"
    assert violations_of(text) == [expected]


def test_malformed_rows_are_counted_not_kept() -> None:
    table = parse_table("[a]\nx,y\n1,2\n3\n4,5\n", Violations("file"))
    section = table.sections["a"]
    assert (len(section.rows), section.malformed_row_count, section.row_count) == (2, 1, 3)


def test_rows_of_a_repeated_section_do_not_count_but_are_checked() -> None:
    violations = Violations("file")
    table = parse_table("[a]\nx,y\n1,2\n[a]\nx,y\n3,4\n5\n", violations)
    assert len(table.sections["a"].rows) == 1
    assert [item.line for item in violations.items] == [4, 7]


def test_stray_text_is_reported_once() -> None:
    assert len(violations_of("a\nb\nc\n", layouts=None)) == 1


# --- collecting -----------------------------------------------------------------------------------


def test_all_violations_are_raised_together_in_line_order() -> None:
    violations = Violations("my.table")
    violations.raise_if_any()
    violations.add("second", line=20, section="a", field="x", rule="RULES.md §2")
    violations.add("first", line=3)
    violations.add("whole file")
    with pytest.raises(TabletopError) as caught:
        violations.raise_if_any()
    assert str(caught.value) == (
        "my.table has 3 violations:\n"
        "  my.table: whole file (file format)\n"
        "  my.table:3: first (file format)\n"
        "  my.table:20: [a] x: second (RULES.md §2)"
    )


def test_one_violation_is_singular() -> None:
    violations = Violations("my.table")
    violations.add("odd")
    with pytest.raises(TabletopError, match="has 1 violation:"):
        violations.raise_if_any()


def test_a_file_of_rubbish_does_not_give_an_endless_message() -> None:
    violations = Violations("my.table")
    for line in range(MAX_LISTED_VIOLATIONS + 5):
        violations.add("odd", line=line)
    with pytest.raises(TabletopError, match=r"has 1005 violations:(.|\n)*and 5 more$"):
        violations.raise_if_any()


def test_long_and_unprintable_text_is_shown_short_and_escaped() -> None:
    (line,) = violations_of("\x1b[31m" + "x" * 10_000, layouts=None)[-1:]
    assert "\x1b" not in line
    assert len(line) < 200


@pytest.mark.parametrize(
    "text", ["", "x", "1.0", "+1", "-1", "01", "1_0", " 1", "0x1", "٣", "1e1", "10", "9" * 5000]
)
def test_integer_cell_refuses(text: str) -> None:
    section, violations = Section("a", 1), Violations("file")
    row = table_file.Row({"x": text}, 2)
    assert integer_cell(section, row, "x", 0, 9, None, violations) is None
    assert "is not a whole number from 0 to 9" in str(violations.items[0])
    assert str(violations.items[0]).startswith("file:2: [a] x: ")


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("9", 9), ("-3", -3)])
def test_integer_cell_reads(text: str, number: int) -> None:
    section, violations = Section("a", 1), Violations("file")
    row = table_file.Row({"x": text}, 2)
    assert integer_cell(section, row, "x", -5, 9, None, violations) == number
    assert not violations


# --- reading files --------------------------------------------------------------------------------


def test_read_text(tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    path.write_bytes("\ufeffé\n".encode())
    assert read_text(path) == "é\n"
    assert read_text(str(path)) == "é\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[a]\nx = \xff\n", "a.table:2: not UTF-8 text"),
        (b"[a]\0", "a.table holds zero bytes: not a text file"),
        ("[a]\n".encode("utf-16"), "holds zero bytes|not UTF-8"),
        (b"#" * (MAX_FILE_BYTES + 1), "a.table is larger than 1048576 bytes"),
    ],
)
def test_wrong_bytes(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "a.table"
    path.write_bytes(data)
    with pytest.raises(TabletopError, match=expected):
        read_text(path)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(TabletopError, match="there is no such file"):
        read_text(tmp_path / "missing")
    with pytest.raises(TabletopError, match="is not a regular file"):
        read_text(tmp_path)
    with pytest.raises(TabletopError, match="cannot be read"):
        read_text(tmp_path / ("x" * 5000))
    (tmp_path / "file").touch()
    with pytest.raises(TabletopError, match="cannot be read"):
        read_text(tmp_path / "file" / "below")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TabletopError, match="is not a regular file"):
        read_text(tmp_path / "pipe")


@pytest.mark.parametrize("path", ["", "a\0b", b"bytes", 3, None, 1.5, True, ["a"]])
def test_what_is_no_path(path: object) -> None:
    with pytest.raises(TabletopError):
        read_text(path)  # type: ignore[arg-type]
    with pytest.raises(TabletopError):
        write_new_file(path, "")  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.text() | st.text(alphabet="[]=#,ab\n \r\t-1"))
def test_any_text_can_be_parsed(text: str) -> None:
    violations = Violations("file")
    table = parse_table(text, violations)
    check_layout(table, LAYOUTS, violations)
    for section in table.sections.values():
        for row in section.rows:
            assert row.cells.keys() == set(section.columns)
    for item in violations.items:
        assert "\n" not in str(item)


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text = decode_text(data, "file")
    except TabletopError:
        return
    assert text.encode() == data.removeprefix(b"\xef\xbb\xbf")


# --- writing --------------------------------------------------------------------------------------


def test_write_new_file(tmp_path: Path) -> None:
    path = tmp_path / "new.table"
    write_new_file(path, "é\nb\n")
    assert path.read_bytes() == "é\nb\n".encode()
    assert os.listdir(tmp_path) == ["new.table"]
    assert read_text(path) == "é\nb\n"


def test_an_existing_file_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "old.table"
    path.write_text("precious")
    (tmp_path / "folder").mkdir()
    for taken in (path, str(path), tmp_path / "folder"):
        with pytest.raises(TabletopError, match="exists already; give the name of a new file"):
            write_new_file(taken, "new")
    assert path.read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == ["folder", "old.table"]


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    link = tmp_path / "link"
    try:
        link.symlink_to(tmp_path / "elsewhere")
    except OSError:
        pytest.skip("needs symbolic links")
    with pytest.raises(TabletopError, match="exists already"):
        write_new_file(link, "new")
    assert os.listdir(tmp_path) == ["link"]


def test_a_file_that_appears_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.table"
    path.write_text("precious")
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    with pytest.raises(TabletopError, match="exists already"):
        write_new_file(path, "new")
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["new.table"]


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*args: object) -> None:
        raise OSError("no hard links here")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "new.table"
    write_new_file(path, "text")
    assert path.read_text() == "text"
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    with pytest.raises(TabletopError, match="exists already"):
        write_new_file(path, "other")
    assert path.read_text() == "text"
    assert os.listdir(tmp_path) == ["new.table"]


def test_nothing_is_left_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def disk_full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(TabletopError, match=r"new\.table cannot be written: No space left"):
        write_new_file(tmp_path / "new.table", "text")
    assert os.listdir(tmp_path) == []


def test_places_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(TabletopError, match="cannot be written"):
        write_new_file(tmp_path / "missing" / "new.table", "text")
    with pytest.raises(TabletopError, match="cannot be written"):
        write_new_file(tmp_path / ("x" * 5000), "text")
    with pytest.raises(TabletopError, match="cannot be written"):
        write_new_file(tmp_path / "new.table", "\udcff")
    assert os.listdir(tmp_path) == []
