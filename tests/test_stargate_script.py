"""The card language: every card is in it, and what is not is refused with its place."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stargate_env
from stargate_env import vocabulary
from stargate_env.components import load_cards
from stargate_env.script import (
    Action,
    Amount,
    Cards,
    Choose,
    Clause,
    Effect,
    Filter,
    GlyphGate,
    May,
    Number,
    Quantity,
    ScriptError,
    Selector,
    Step,
    nodes_of,
    parse_effect,
)
from stargate_env.script_text import effect_to_text
from stargate_env.sizes import SIDES

POOL = load_cards()
REFERENCE = Path(stargate_env.__file__).with_name("EFFECTS.md").read_text(encoding="utf-8")


def test_all_824_cards_are_in_the_language():
    clauses = [
        clause
        for card in POOL.cards
        for clause in parse_effect(card.effect, card.card_id, SIDES[card.side])
    ]
    assert len(POOL.cards) == 824
    assert len(clauses) == 1015


def test_trees_are_written_as_they_were_read():
    for card in POOL.cards:
        assert effect_to_text(card.clauses) == card.effect


def test_a_tree_holds_all_that_is_written():
    text = "GL(G&L) ACT[STOP(self)] -> MAY(by=V) DESTROY(support[!Jaffa],n:up_to(2))"
    assert parse_effect(text) == (
        Clause(
            (GlyphGate(("G", "L"), "&"),),
            "ACT",
            cost=(Action("STOP", (Cards((Selector("self"),)),), {}),),
            effect=Effect(
                (
                    Step(
                        None,
                        May(
                            "V",
                            (
                                Action(
                                    "DESTROY",
                                    (
                                        Cards(
                                            (Selector("support", ((Filter("Jaffa", True),),)),),
                                            Quantity("up_to", Number(2), True),
                                        ),
                                    ),
                                    {},
                                ),
                            ),
                        ),
                    ),
                )
            ),
        ),
    )


def test_else_belongs_to_the_may_and_arrows_reach_to_the_end():
    (clause,) = parse_effect("ON_PLAY: MAY STOP(char,1) -> DRAW(H,1) & DRAW(V,1) ELSE DRAW(H,2)")
    (step,) = clause.effect.steps
    assert len(step.body.then.steps) == 2
    assert step.otherwise.body == Action("DRAW", ("H", Number(2)), {})


def test_amounts_bind_products():
    (clause,) = parse_effect("ON_PLAY: POWER(H,-2*#card[Ori]@mission)")
    amount = clause.effect.steps[0].body.arguments[1]
    assert isinstance(amount, Amount)
    assert (amount.sign, amount.value.operator) == ("-", "*")


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("", 1, "empty effect"),
        ("ON_FAILS: STOP(team,1)", 1, "unknown clause head 'ON_FAILS'"),
        ("ON_FAIL: HALT(team,1)", 10, "unknown verb 'HALT'"),
        ("ON_FAIL: STOP(teem,1)", 15, "unknown target 'teem'"),
        ("ON_FAIL: STOP(team[redy],1)", 20, "unknown filter 'redy'"),
        ("ON_FAIL: STOP(team)", 19, "how many?"),
        ("ON_FAIL: STOP(team,1", 21, "expected ',', found 'end of text'"),
        ("ON_FAIL: STOP(team,1,dur=mission)", 22, "STOP has no option 'dur'"),
        ("ON_FAIL: STOP(team,1,by=X)", 25, "unknown player 'X'"),
        ("ON_FAIL: RETURN(team,1)", 10, "RETURN lacks the option to"),
        ("ON_FAIL: STOP(team,1){DRAW(H,1)}", 10, "STOP takes no block"),
        ("ON_FAIL: STOP(team,1) DRAW(H,1)", 23, "expected ';' or end of text"),
        ("ON_FAIL: CHOOSE{DRAW(H,1)}", 27, "CHOOSE needs at least two options"),
        ("ON_FAIL: STOP(that)", 15, "nothing for 'that' to refer to"),
        ("ON_FAIL: DRAW(H,n)", 17, "nothing for 'n' to refer to"),
        ("ON_FAIL:  STOP(team,1)", 10, "not in canonical form, which is: ON_FAIL: STOP"),
        ("ON_FAIL: STOP(team[assigned,Jaffa],1)", 20, "not in canonical form"),
        ("STATIC IF(#char>=1): DIFF(self,+1)", 11, "write the bare target"),
        ("GL(X): DRAW(H,1)", 4, "unknown glyph letter 'X'"),
        ("KW(flying)", 4, "unknown keyword 'flying'"),
        ("ON(dies(H)): DRAW(H,1)", 4, "unknown event 'dies'"),
        ("ON_FAIL: STOP(team,1) \N{SNOWMAN}", 23, "unexpected character"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text, column, what):
    with pytest.raises(ScriptError) as caught:
        parse_effect(text, "BS-001")
    error = caught.value
    assert (error.card_id, error.column) == ("BS-001", column)
    assert what in error.what
    lines = str(error).splitlines()
    assert lines[0].startswith(f"BS-001:{column}: ")
    assert lines[-1] == " " * (4 + column - 1) + "^"


def test_naming_the_usual_chooser_is_refused():
    text = "ON_FAIL: STOP(team,1,by=V)"
    assert parse_effect(text, side="hero")
    with pytest.raises(ScriptError, match="by=V is what a villain card means"):
        parse_effect(text, side="villain")


@given(st.integers(0, 823), st.data())
def test_damaged_texts_are_refused_or_read_but_never_crash(number, data):
    text = POOL.cards[number].effect
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    piece = data.draw(st.text("()[]{},&+->|;:!#n1 aH", max_size=3))
    damaged = text[:start] + piece + text[end:]
    try:
        clauses = parse_effect(damaged)
    except ScriptError as error:
        assert 1 <= error.column <= len(damaged) + 1
    else:
        assert effect_to_text(clauses) == damaged


def test_deep_nesting_is_an_error_and_not_a_crash():
    text = "ON_PLAY: " + "{" * 5000 + "DRAW(H,1)" + "}" * 5000
    with pytest.raises(ScriptError, match="nested too deeply"):
        parse_effect(text)


@pytest.mark.parametrize(
    "words",
    [
        vocabulary.BASES,
        vocabulary.REFERENCES,
        vocabulary.ZONES,
        vocabulary.WORD_FILTERS,
        vocabulary.NUMBER_FILTERS,
        vocabulary.CARD_FILTERS,
        vocabulary.VALUE_FUNCTIONS,
        vocabulary.COUNT_FUNCTIONS,
        vocabulary.COUNTERS,
        vocabulary.HEADS,
        vocabulary.EVENTS,
        vocabulary.REPLACED_EVENTS,
        vocabulary.VERBS,
        vocabulary.OPTIONS,
        vocabulary.FLAGS,
    ],
)
def test_the_reference_page_explains_every_word(words):
    named = set(re.findall(r"[A-Za-z_]+(?:'[a-z]+)?(?:/TURN)?", REFERENCE))
    assert set(words) <= named


def test_every_verb_is_used_by_a_card():
    nodes = [node for card in POOL.cards for node in nodes_of(card.clauses)]
    used = {node.verb for node in nodes if isinstance(node, Action)}
    assert used == set(vocabulary.VERBS)
    assert sum(isinstance(node, Choose) for node in nodes) == 18
