"""Plays the scenarios of `scenarios/*.txt`, one test for each card."""

from itertools import groupby

import pytest
from stargate_play import play_case
from stargate_scenarios import Case, ScenarioFault, all_cases

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
