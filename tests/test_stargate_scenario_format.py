"""The format of scenarios is strict, and they are counted right."""

import pytest
from cards_mutation import mutants_of, read_survivors, survives
from stargate_play import play_case
from stargate_scenarios import ScenarioFault, read_cases

from stargate_env.__main__ import main
from stargate_env.components import load_cards
from stargate_env.coverage import NO_TEXT, count_scenarios, cover

HEADER = "BS-136 clause 1: shows something"


def cases(tmp_path, *lines):
    path = tmp_path / "some.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(read_cases(path))


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        (["    power: 3"], 1, "before the first scenario"),
        (["BS-136: shows something"], 1, "is not '<card> clause"),
        (["BS-999 clause 1: shows something"], 1, "there is no card BS-999"),
        (["BS-136 clause 3: shows something"], 1, "has 2 clauses"),
        (["BS-136 no text: shows something"], 1, "has 2 clauses"),
        ([HEADER, "    power: 3"], 1, "expects nothing"),
        ([HEADER, "    hero hnad: BS-136", "    = hero power 3"], 2, "starts with none of"),
    ],
)
def test_a_malformed_scenario_is_refused(tmp_path, lines, line, what):
    with pytest.raises(ScenarioFault, match=rf"some\.txt:{line}: .*{what}"):
        cases(tmp_path, *lines)


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        (["    hero hand: hovercraft", "    = hero power 3"], 2, "'hovercraft' is neither"),
        (["    hero hand: event stopped", "    = hero power 3"], 2, "nothing is said about"),
        (["    hero play: ace asleep", "    = hero power 3"], 2, "'asleep' says nothing"),
        (["    power: much", "    = hero power 3"], 2, "much"),
        (["    from: dawn", "    = hero power 3"], 2, "'dawn'"),
        (["    define x: team, wit 3", "    = hero power 3"], 2, "unknown 'wit 3'"),
        (["    = ace hungry"], 2, "no sentence"),
        (["    = hero power 4"], 2, "3"),
        (["    = gear in hand"], 2, "gear is not in the scenario"),
        (["    = hero asked politely"], 2, "there is no prompt 'politely'"),
        (["    = hero cannot play gear"], 2, "gear is not in the scenario"),
        (["    hero play: gear", "    = hero cannot play gear"], 3, "gear is in no hand"),
        (["    = hero cannot sing"], 2, "there is no action 'sing'"),
        (["    = villain cannot assign ace"], 2, "hero is asked"),
        (["    > pass", "    = hero power 3"], 2, "nobody is said to do this"),
        (["    > Paul: pass", "    = hero power 3"], 2, "neither hero nor villain"),
        (["    > villain: pass", "    = hero power 3"], 2, "hero is asked"),
        (["    > hero: sing", "    = hero power 3"], 2, "'sing' is not legal"),
    ],
)
def test_what_is_not_so_is_refused(tmp_path, lines, line, what):
    (case,) = cases(tmp_path, HEADER, *lines)
    with pytest.raises(ScenarioFault, match=rf"some\.txt:{line}: .*{what}"):
        play_case(case)


def test_cases_share_the_lines_before_them(tmp_path):
    lines = ["    power: 5", "    case: one", "    = hero power 5", "    case: two"]
    first, second = cases(tmp_path, HEADER, *lines, "    > hero: pass", "    = villain asked main")
    assert first.title == "shows something (one)"
    assert [line.kind for line in first.lines] == ["power", "fact"]
    assert [line.kind for line in second.lines] == ["power", "action", "fact"]
    play_case(first)
    play_case(second)


def test_scenarios_are_counted_by_clause(tmp_path):
    text = "BS-029 clauses 1 2: both\n    = x\nBS-029 clause 2: again\nBS-250 no text: nothing\n"
    (tmp_path / "some.txt").write_text(text, encoding="utf-8")
    counts = count_scenarios(tmp_path)
    assert counts == {"BS-029": {1: 1, 2: 2}, "BS-250": {NO_TEXT: 1}}
    items = {item.card.card_id: item for item in cover(load_cards(), counts)}
    assert items["BS-029"].scenarios == (1, 2) and items["BS-029"].is_exercised
    assert items["BS-250"].scenarios == (1,) and items["BS-250"].is_exercised
    assert items["BS-239"].scenarios == (0,) and not items["BS-239"].is_exercised


def test_the_command_demands_a_scenario_for_every_clause(tmp_path, capsys):
    assert main(["coverage", "--scenarios", str(tmp_path)]) == 1
    assert "cards with a scenario for every clause: 0 of 824\n" in capsys.readouterr().out
    assert main(["coverage", "--scenarios", str(tmp_path / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_every_clause_and_every_number_has_a_mutant():
    card = load_cards().by_id["BS-080"]  # MAY PAY(2)+DISCARD(H.hand,1) -> READY(.., 1)
    names = [mutant.name.removeprefix("BS-080 ") for mutant in mutants_of(card)]
    assert names == ["clause 1", *(f"clause 1 number {k}" for k in (1, 2, 3))]
    assert [mutant.card.clauses for mutant in mutants_of(card)].count(()) == 1


def test_a_mutant_survives_unless_a_scenario_notices_it(tmp_path):
    start = ["BS-080 clause 1: readies", "    hero hand: BS-080, event", "    power: 5"]
    weak = cases(tmp_path, *start, "    > hero: play BS-080", "    = BS-080 in play")
    strong = cases(
        tmp_path,
        *start[:1],
        "    hero play: Jaffa-support stopped",
        *start[1:],
        "    > hero: play BS-080; yes",
        "    = hero power 0",
    )
    removed, other_price, *_ = mutants_of(load_cards().by_id["BS-080"])
    assert survives(removed, weak) and survives(other_price, weak)
    assert not survives(removed, strong) and not survives(other_price, strong)


def test_a_survivor_is_listed_with_a_reason(tmp_path):
    path = tmp_path / "survivors.list"
    path.write_text("# why\nBS-080 clause 1 number 3: cannot be seen\n", encoding="utf-8")
    assert read_survivors(path) == {"BS-080 clause 1 number 3": "cannot be seen"}
    path.write_text("BS-080 clause 1\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"survivors\.list:1"):
        read_survivors(path)
