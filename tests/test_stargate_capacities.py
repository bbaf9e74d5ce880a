"""That the fixed sizes of the machine hold for every card of the pool."""

import re

from stargate_env import opcodes as op
from stargate_env.components import load_cards
from stargate_env.coverage import listing
from stargate_env.program import compile_cards, verbs_of
from stargate_env.sizes import GLYPHS, MAX_COPIES, SKILLS
from stargate_env.state import (
    ACTIONS,
    CODE_SIZE,
    MAX_BOOST_RULES,
    MAX_CLAUSES,
    MAX_OPTIONS,
    STATE,
)

POOL = load_cards()
PUSHES = {"PUSH", "PUSH_N", "COUNT", "COUNT_TRAITS", "MEASURE", "GLYPH_READY", "NEED"}
POPS = {"STORE", "ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "COMPARE", "AND", "OR", "TOP"}
POPS |= {"KEEP_PAYABLE"}


def test_the_records_are_small_enough():
    assert STATE.itemsize <= 16_384
    assert ACTIONS.count <= 1_024


def test_programs_fit_stack_sets_and_locals():
    """The depth is never more than what is pushed, less what surely is popped, since a deed."""
    depth = 0
    for line in listing(compile_cards(POOL, POOL.cards)):
        _, name, *operands = line.split()
        numbers = [int(word) for word in operands]
        depth += (name in PUSHES) - (name in POPS) - 2 * (name == "IF_ELSE")
        if name == "END" or getattr(op, name) > op.JUMP:  # a deed or a decision: all is popped
            depth = 0
        assert depth <= op.STACK_SIZE
        if name in ("SELECT", "REFER", "KEEP", "TOP", "NEXT_EACH"):
            assert numbers[0] < op.NUM_SETS
        if name == "STORE":
            assert numbers[0] < op.NUM_LOCALS


def test_every_card_has_few_enough_clauses_and_options():
    """`used` and the choice between abilities are sets of clause places; options have ids."""
    programs = compile_cards(POOL, POOL.cards)
    assert all(len(clauses) <= MAX_OPTIONS for clauses in programs.of_card.values())
    most = max(
        int(re.findall(r"OPTIONS (\d+)", line)[0])
        for line in listing(programs)
        if " OPTIONS " in line
    )
    assert most <= MAX_OPTIONS and len(GLYPHS) <= MAX_OPTIONS and len(SKILLS) <= MAX_OPTIONS


def test_the_whole_pool_fits_into_one_record():
    programs = compile_cards(POOL, POOL.cards)
    assert len(programs.code) <= CODE_SIZE and len(programs.clauses) <= MAX_CLAUSES


def test_all_copies_of_cards_that_allow_boosts_fit():
    cards = [card for card in POOL.cards if any("ALLOW_BOOST" in verbs_of(c) for c in card.clauses)]
    assert 0 < MAX_COPIES * len(cards) <= MAX_BOOST_RULES
