"""Plays the scenarios of `scenarios/*.txt`, one test for each card."""

from itertools import groupby

import pytest
from stargate_play import play_case
from stargate_scenarios import FOLDER, Case, ScenarioFault, all_cases

from stargate_env.components import load_cards
from stargate_env.coverage import count_scenarios, cover

CARDS = [
    pytest.param(tuple(cases), id=card_id)
    for card_id, cases in groupby(
        sorted(all_cases(), key=lambda case: case.card_id), key=lambda case: case.card_id
    )
]


@pytest.mark.parametrize("cases", CARDS)
def test_card(cases: tuple[Case, ...]) -> None:
    faults = []
    for case in cases:
        try:
            play_case(case)
        except ScenarioFault as fault:
            faults.append(f"{case.card_id} {case.title}\n  {fault}")
    if faults:
        pytest.fail("\n" + "\n".join(faults), pytrace=False)


def test_every_clause_of_every_card_is_implemented_and_has_a_scenario() -> None:
    cards = cover(load_cards(), count_scenarios(FOLDER))
    assert len(cards) == 824
    assert [str(item) for item in cards if item.missing or not item.is_exercised] == []
