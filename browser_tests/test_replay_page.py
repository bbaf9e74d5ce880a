"""Replay pages in a real browser: `make test-browser`, with the Chromium and driver of Debian."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tabletop_core.canvas import Canvas
from tabletop_core.game import games
from tabletop_core.pictures import save_replay_page
from tabletop_core.record import GameRecord, record_of
from tabletop_core.replay_page import replay_page
from tabletop_core.session import Session

NUM_DECISIONS = 12
PATIENCE = 10.0
HOSTILE = '</script><script>window.broken=1</script><img src=x onerror="window.broken=1">'
# Texts of the board that leave it, and pairs of them that cover each other.
BAD_TEXTS = """
const boxes = [...document.querySelectorAll("#board text")].map((text) => {
  const box = text.getBoundingClientRect();
  const trim = box.height * 0.15;  // a line box is higher than its letters
  return { words: text.textContent, left: box.left, right: box.right,
           top: box.top + trim, bottom: box.bottom - trim };
});
const board = document.querySelector("#board svg").getBoundingClientRect();
const bad = boxes.filter((box) => box.left < board.left || box.right > board.right
  || box.top < board.top || box.bottom > board.bottom).map((box) => box.words);
for (const [k, box] of boxes.entries()) {
  for (const other of boxes.slice(0, k)) {
    const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
    const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    if (across > 1 && down > 1) bad.push(`${box.words} / ${other.words}`);
  }
}
return bad;
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if path is None]
    assert not missing, f"not installed: {missing}; on Debian: apt install chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1250,1100"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(programs["chromedriver"])
    driver = webdriver.Chrome(options, service)
    yield driver
    driver.quit()


def recorded_game(name: str, num_players: int) -> GameRecord:
    session = Session(games()[name].ruleset(num_players))
    session.start_recording()
    session.reset(4)
    rng = random.Random(4)
    for _ in range(NUM_DECISIONS):
        session.step(rng.choice(session.legal_actions()))
    return record_of(session)


def open_game(
    browser: webdriver.Chrome, folder: Path, name: str = "jumpgate_v0", num_players: int = 2
) -> None:
    path = folder / "game.html"
    save_replay_page(path, recorded_game(name, num_players))
    browser.get(path.as_uri())


def step_shown(browser: webdriver.Chrome) -> int:
    return int(browser.find_element(By.ID, "counter").text.split()[1])


def click(browser: webdriver.Chrome, name: str) -> None:
    browser.find_element(By.ID, name).click()


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.02)


def require_no_complaints(browser: webdriver.Chrome) -> None:
    assert not browser.get_log("browser")
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_buttons_step_through_the_game(browser: webdriver.Chrome, tmp_path: Path) -> None:
    open_game(browser, tmp_path)
    assert step_shown(browser) == 0
    assert not browser.find_element(By.ID, "back").is_enabled()
    first = browser.find_element(By.ID, "board").get_attribute("innerHTML")
    click(browser, "forward")
    assert step_shown(browser) == 1
    assert browser.find_element(By.ID, "board").get_attribute("innerHTML") != first
    click(browser, "last")
    assert step_shown(browser) == NUM_DECISIONS
    assert not browser.find_element(By.ID, "forward").is_enabled()
    click(browser, "back")
    assert step_shown(browser) == NUM_DECISIONS - 1
    click(browser, "first")
    assert browser.find_element(By.ID, "board").get_attribute("innerHTML") == first
    require_no_complaints(browser)


def test_keys_and_slider(browser: webdriver.Chrome, tmp_path: Path) -> None:
    open_game(browser, tmp_path)
    page = browser.find_element(By.TAG_NAME, "body")
    for key, expected in (
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_RIGHT, 2),
        (Keys.ARROW_LEFT, 1),
        (Keys.END, NUM_DECISIONS),
        (Keys.HOME, 0),
        (Keys.ARROW_LEFT, 0),
    ):
        page.send_keys(key)
        assert step_shown(browser) == expected
    browser.execute_script(
        "const s = document.getElementById('slider'); s.value = 5;"
        "s.dispatchEvent(new Event('input'));"
    )
    assert step_shown(browser) == 5
    require_no_complaints(browser)


def test_log_tells_every_decision_and_leads_to_it(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    open_game(browser, tmp_path)
    entries = browser.find_elements(By.CSS_SELECTOR, "#log li")
    decisions = recorded_game("jumpgate_v0", 2).decisions
    told = [f"player {decision.player}: {decision.words}" for decision in decisions]
    assert [entry.text for entry in entries] == ["start", *told]
    entries[4].click()
    assert step_shown(browser) == 4
    assert entries[4].get_attribute("aria-current") == "step"


def test_plays_by_itself_to_the_end(browser: webdriver.Chrome, tmp_path: Path) -> None:
    open_game(browser, tmp_path)
    Select(browser.find_element(By.ID, "pace")).select_by_visible_text("very fast")
    click(browser, "play")
    assert browser.find_element(By.ID, "play").text == "Pause"
    wait_until(lambda: step_shown(browser) == NUM_DECISIONS)
    assert browser.find_element(By.ID, "play").text == "Play"
    click(browser, "play")  # begins again
    wait_until(lambda: 0 < step_shown(browser) < NUM_DECISIONS)
    click(browser, "play")
    stopped = step_shown(browser)
    time.sleep(0.4)
    assert step_shown(browser) == stopped


@pytest.mark.parametrize(
    ("name", "num_players"), [("jumpgate_v0", 5), ("junkorbit_v0", 5), ("stargate_v0", 2)]
)
def test_boards_are_readable_as_the_browser_draws_them(
    browser: webdriver.Chrome, tmp_path: Path, name: str, num_players: int
) -> None:
    open_game(browser, tmp_path, name, num_players)
    for _ in range(3):
        assert browser.find_element(By.CSS_SELECTOR, "#board svg").size["width"] == 800
        assert browser.execute_script(BAD_TEXTS) == []
        for _ in range(4):
            click(browser, "forward")


def test_bad_texts_are_noticed(browser: webdriver.Chrome, tmp_path: Path) -> None:
    canvas = Canvas(200, 50, "bad", "#ffffff")
    canvas.text((5, 20), "one text", 12)
    canvas.text((20, 22), "another", 12)
    canvas.text((180, 40), "too far", 12)
    path = tmp_path / "bad.html"
    path.write_text(replay_page([canvas.drawing()], "bad"), encoding="utf-8")
    browser.get(path.as_uri())
    assert browser.execute_script(BAD_TEXTS) == ["too far", "another / one text"]


def test_words_of_others_are_only_words(browser: webdriver.Chrome, tmp_path: Path) -> None:
    canvas = Canvas(200, 50, HOSTILE, "#ffffff", HOSTILE)
    with canvas.group(HOSTILE):
        canvas.text((5, 20), HOSTILE, 12)
    path = tmp_path / "hostile.html"
    path.write_text(replay_page([canvas.drawing()] * 2, HOSTILE), encoding="utf-8")
    browser.get(path.as_uri())
    click(browser, "forward")
    entries: list[Any] = browser.find_elements(By.CSS_SELECTOR, "#log li")
    assert entries[1].text == HOSTILE
    assert browser.find_element(By.CSS_SELECTOR, "#board text").text == HOSTILE
    assert browser.title == HOSTILE
    assert browser.execute_script("return window.broken === undefined")
    require_no_complaints(browser)
