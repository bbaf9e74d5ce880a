"""Pictures of tables: readable in every position, without hidden cards, as SVG and as pixels."""

from __future__ import annotations

import io
import json
import pickle
import random
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from picture_checks import overlap, require_readable
from PIL import Image, ImageFont

from junkorbit_env import junkorbit_v0
from junkorbit_env.board_layout import city_places
from tabletop_core.canvas import Canvas, fit_text, text_width
from tabletop_core.cli import main
from tabletop_core.errors import TabletopError
from tabletop_core.game import Game, Ruleset, games
from tabletop_core.gif import gif_bytes
from tabletop_core.pictures import record_pictures, save_gif, save_replay_page
from tabletop_core.pixels import to_image, to_pixels
from tabletop_core.record import GameRecord, record_of, replay, view_record, write_records
from tabletop_core.replay_page import replay_page
from tabletop_core.scene import draw, scene_of
from tabletop_core.session import Session
from tabletop_core.svg import svg_lines, to_svg
from tabletop_core.views import Views

MANY_DECISIONS = 1500
SVG_SPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "</script><script>alert(1)</script>&amp;<b>\x00"


def positions(
    ruleset: Ruleset, seed: int, every: int, most: int = MANY_DECISIONS
) -> Iterator[tuple[Session, tuple[int, str] | None]]:
    """Each `every`-th position of a random game and its end, with the decision before."""
    rng = random.Random(seed)
    session = Session(ruleset)
    session.reset(seed)
    last = None
    for step in range(most):
        if session.is_over or step % every == 0:
            yield session, last
        if session.is_over:
            return
        action = rng.choice(session.legal_actions())
        last = (session.current_player, session.action_to_string(action))
        session.step(action)


def recorded_game(ruleset: Ruleset, seed: int = 1, most: int = MANY_DECISIONS) -> GameRecord:
    session = Session(ruleset)
    session.start_recording()
    session.reset(seed)
    rng = random.Random(seed)
    for _ in range(most):
        if session.is_over:
            break
        session.step(rng.choice(session.legal_actions()))
    return record_of(session)


@pytest.fixture(scope="module")
def jumpgate() -> Ruleset:
    return games()["jumpgate_v0"].ruleset(2)


# --- every game ------------------------------------------------------------------------------


def test_pictures_are_readable(ruleset: Ruleset) -> None:
    for number, (session, last) in enumerate(positions(ruleset, 5, every=90, most=400)):
        viewer = number % (ruleset.num_players + 1) - 1
        require_readable(draw(scene_of(session, None if viewer < 0 else viewer, last)))


@pytest.mark.long
def test_many_pictures_are_readable(game: Game) -> None:
    for num_players in range(game.min_players, game.max_players + 1):
        for seed in range(4):
            for session, last in positions(game.ruleset(num_players), seed, every=29):
                for viewer in (None, session.current_player, seed % num_players):
                    require_readable(draw(scene_of(session, viewer, last)))


def test_who_decides_and_who_has_won_is_written(game: Game) -> None:
    for session, _ in positions(game.ruleset(max_turns=3), 3, every=MANY_DECISIONS):
        title = draw(scene_of(session)).title
        if not session.is_over:
            assert f"player {session.current_player} " in title
            continue
        result = session.result()
        assert "max turns" in title
        assert all(f"player {player}" in title for player in result["winners"])
        assert all(f"{score:g}" in title for score in result["scores"])


def test_picture_of_a_view_holds_nothing_hidden(ruleset: Ruleset) -> None:
    """After all hidden cards were dealt anew, the picture of the player's view is the same."""
    open_pictures_differ = False
    for session, last in positions(ruleset, 8, every=100, most=250):
        for player in range(ruleset.num_players):
            redrawn = session.clone()
            redrawn.determinize(player, seed=4)
            seen = draw(scene_of(session, player, last))
            assert draw(scene_of(redrawn, player, last)) == seen
            open_pictures_differ |= draw(scene_of(session)) != draw(scene_of(redrawn))
    assert open_pictures_differ or ruleset.game.name == "junkorbit"  # which hides nothing


def test_svg_is_well_formed_and_loads_nothing(ruleset: Ruleset) -> None:
    session = Session(ruleset)
    session.reset(2)
    drawing = draw(scene_of(session, None, (0, HOSTILE)))
    text = to_svg(drawing)
    root = ElementTree.fromstring(text)
    assert root.tag == SVG_SPACE + "svg"
    assert root.get("viewBox") == f"0 0 {drawing.width} {drawing.height}"
    assert len(root.findall(f".//{SVG_SPACE}text")) == len(list(drawing.texts()))
    assert not root.findall(f".//{SVG_SPACE}script")
    assert "href" not in text and text.count("http") == 1  # the name of the format


def test_all_render_modes(ruleset: Ruleset) -> None:
    views = Views(ruleset.game)
    for make in (views.raw_env, views.parallel_env, views.single_agent):
        env = make(num_players=ruleset.num_players, render_mode="svg")
        assert env.metadata["render_modes"] == ["human", "ansi", "svg", "rgb_array"]
        env.reset(seed=5)
        assert env.render().startswith("<svg ")


def test_environments_draw_the_decision_before(ruleset: Ruleset) -> None:
    env = Views(ruleset.game).raw_env(num_players=ruleset.num_players, render_mode="svg")
    env.reset(seed=5)
    assert "last: " not in env.render()
    saved = env.serialize()
    for _ in range(3):
        player, action = env.session.current_player, env.legal_actions()[0]
        last = (player, env.action_to_string(action))
        env.step(action)
        assert env.render() == to_svg(draw(scene_of(env.session, None, last)))
    assert env.clone().render() == env.render()
    twin = pickle.loads(pickle.dumps(env))
    assert twin.render() == env.render()
    with pytest.raises(TabletopError):
        env.step(ruleset.game.actions.count - 1 if 0 in env.legal_actions() else 0)
    assert twin.render() == env.render()
    env.restore(saved)
    assert "last: " not in env.render()


def test_rgb_arrays_have_the_size_of_the_picture(game: Game) -> None:
    for make in (Views(game).env, Views(game).single_agent):
        env = make(render_mode="rgb_array")
        env.reset(seed=5)
        pixels = env.render()
        drawing = draw(scene_of(env.session))
        assert pixels.shape == (drawing.height, drawing.width, 3)
        assert pixels.dtype == np.uint8 and pixels.flags.writeable


def test_vector_view_draws_each_lane_as_its_seat_sees_it(ruleset: Ruleset) -> None:
    def bot(observation: Any, player: int, rng: Any) -> int:
        return int(observation["action_mask"].argmax())

    arguments = {"num_players": ruleset.num_players, "opponents": bot, "render_mode": "svg"}
    views = Views(ruleset.game)
    vec = views.make_vec(2, seat="rotate", **arguments)
    vec.reset(seed=5)
    single = views.single_agent(seat=1, **arguments)
    single.reset(seed=6)
    assert vec.render()[1] == single.render()
    assert vec.metadata["render_modes"] == ["ansi", "svg", "rgb_array"]


# --- records ---------------------------------------------------------------------------------


def test_records_are_drawn_openly_and_as_seen(ruleset: Ruleset) -> None:
    record = recorded_game(ruleset, most=12)
    drawings = list(record_pictures(record))
    assert len(drawings) == len(record.decisions) + 1
    assert drawings[0].log == "" and drawings[1].log.startswith(f"player {record.decisions[0][0]}:")
    seen = list(record_pictures(record, viewer=1))
    assert seen == list(record_pictures(view_record(record, 1)))
    assert {drawing.height for drawing in seen + drawings} == {drawings[0].height}
    with pytest.raises(TabletopError, match="player 1 saw"):
        list(record_pictures(view_record(record, 1), viewer=0))


def test_replay_of_a_view_holds_no_hidden_card(ruleset: Ruleset) -> None:
    """Two games that look alike to a player have the same replay of that player's view."""
    record = recorded_game(ruleset, most=12)
    player = ruleset.num_players - 1
    page = replay_page(record_pictures(record, player), "a view")
    assert (
        page != replay_page(record_pictures(record), "a view") or ruleset.game.name == "junkorbit"
    )
    hidden = next(iter(replay(record))).clone()
    hidden.determinize(player, seed=9)
    assert next(record_pictures(record, player)) == draw(scene_of(hidden, player))


def test_an_illegal_action_is_the_last_picture(jumpgate: Ruleset) -> None:
    env = Views(jumpgate.game).env(num_players=2)
    env.start_recording()
    env.reset(seed=7)
    legal = set(env.legal_actions())
    env.step(next(action for action in range(112) if action not in legal))
    record = env.record()
    for viewer in (None, 0):
        drawings = list(record_pictures(record, viewer))
        assert len(drawings) == 2
        assert "not legal" in drawings[-1].log and "illegal action" in drawings[-1].title


def test_files_are_written_whole_and_never_replaced_unasked(
    jumpgate: Ruleset, tmp_path: Path
) -> None:
    record = recorded_game(jumpgate, most=6)
    page, movie = tmp_path / "game.html", tmp_path / "game.gif"
    save_replay_page(page, record)
    save_gif(movie, record, viewer=0, seconds=0.1, scale=0.5)
    before = page.read_bytes()
    for save in (save_replay_page, save_gif):
        with pytest.raises(TabletopError, match="exists"):
            save(page, record)
    assert page.read_bytes() == before
    save_replay_page(page, record, 1, force=True)
    assert page.read_bytes() != before
    with Image.open(movie) as gif:
        assert gif.n_frames == len(record.decisions) + 1
        assert gif.size[0] == 400
        assert gif.info["duration"] == 100 and gif.info["loop"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.gif", "game.html"]


def test_command_writes_pictures(jumpgate: Ruleset, tmp_path: Path) -> None:
    file, html, svg, png = (str(tmp_path / name) for name in ("r.jsonl", "h", "s", "p"))
    record = recorded_game(jumpgate, most=5)
    write_records(file, [record, record])
    drawings = list(record_pictures(record, 1))
    arguments = ["picture", file, "--number", "2", "--seat", "1", "--step", "3"]
    assert main([*arguments, "--html", html, "--svg", svg, "--png", png, "--scale", "0.5"]) == 0
    assert Path(svg).read_text() == to_svg(drawings[3])
    assert page_data(Path(html).read_text())["log"][-1] == drawings[-1].log
    with Image.open(png) as image:
        assert image.size == (400, drawings[3].height // 2)
    assert main([*arguments, "--svg", svg]) == 2
    assert main([*arguments, "--svg", svg, "--force"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to write"),
        (["--svg", "x", "--step", "6"], "steps 0 to 5"),
        (["--svg", "x", "--number", "2"], "has no record 2"),
        (["--svg", "x", "--number", "0"], "counted from 1"),
        (["--svg", "x", "--seat", "2"], "player"),
        (["--png", "x", "--scale", "9"], "scale is from"),
        (["--gif", "x", "--seconds", "0"], "seconds is from"),
    ],
    ids=str,
)
def test_command_refuses(
    jumpgate: Ruleset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_records("records.jsonl", [recorded_game(jumpgate, most=5)])
    assert main(["picture", "records.jsonl", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl"]


# --- replay pages ----------------------------------------------------------------------------


def page_data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def lines_of_step(data: dict[str, Any], step: int) -> list[str]:
    runs = data["steps"][step]
    return [
        line
        for start, length in zip(runs[::2], runs[1::2], strict=True)
        for line in data["lines"][start : start + length]
    ]


def test_replay_page_holds_every_picture(jumpgate: Ruleset) -> None:
    drawings = list(record_pictures(recorded_game(jumpgate, most=30)))
    data = page_data(replay_page(drawings, "a game"))
    assert len(set(data["lines"])) == len(data["lines"])
    for step, drawing in enumerate(drawings):
        assert lines_of_step(data, step) == svg_lines(drawing)
    assert data["log"] == [drawing.log for drawing in drawings]
    assert data["titles"] == [drawing.title for drawing in drawings]


def test_replay_page_escapes_what_it_is_given(jumpgate: Ruleset) -> None:
    session = Session(jumpgate)
    session.reset(1)
    page = replay_page([draw(scene_of(session, None, (0, HOSTILE)))], HOSTILE)
    assert page.count("<script") == page.count("</script>") == 2
    assert "<b>" not in page and "alert(1)</script>" not in page
    assert HOSTILE in page_data(page)["log"][0]
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=", page)


def test_replay_page_needs_a_picture() -> None:
    with pytest.raises(TabletopError, match="at least one picture"):
        replay_page([], "nothing")


# --- GIF and pixels --------------------------------------------------------------------------


def test_gif_shows_the_pictures(jumpgate: Ruleset) -> None:
    drawings = list(record_pictures(recorded_game(jumpgate, most=5)))
    with Image.open(io.BytesIO(gif_bytes(drawings, 0.5))) as gif:
        assert gif.n_frames == len(drawings)
        for k, drawing in enumerate(drawings):
            gif.seek(k)
            found = np.asarray(gif.convert("RGB"), np.int16)
            difference = np.abs(found - to_pixels(drawing))
            assert difference.mean() < 4


@pytest.mark.parametrize(
    "arguments", [{"seconds": 0}, {"seconds": 61}, {"scale": 0}, {"seconds": float("nan")}], ids=str
)
def test_bad_numbers_for_a_gif(arguments: dict[str, float]) -> None:
    with pytest.raises(TabletopError, match="(seconds|scale) is from"):
        gif_bytes([Canvas(20, 20, "t", "#ffffff").drawing()], **arguments)


def test_a_gif_needs_a_picture() -> None:
    with pytest.raises(TabletopError, match="at least one picture"):
        gif_bytes([])


def test_pixels_of_shapes() -> None:
    canvas = Canvas(40, 30, "shapes", "#ffffff")
    canvas.rect((0, 0, 20, 10), "#ff0000", radius=0)
    canvas.circle((30, 20), 8, "#0000ff")
    canvas.polygon([(0, 20), (10, 20), (10, 30), (0, 30)], "#00ff00", "#000000")
    pixels = to_pixels(canvas.drawing())
    assert pixels.shape == (30, 40, 3)
    assert pixels[5, 10].tolist() == [255, 0, 0]
    assert pixels[20, 30].tolist() == [0, 0, 255]
    assert pixels[25, 5].tolist() == [0, 255, 0]
    assert pixels[15, 15].tolist() == [255, 255, 255]
    assert to_image(canvas.drawing(), 2.0).size == (80, 60)


def test_without_pillow_pixels_say_what_is_missing(
    jumpgate: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(TabletopError, match=r"tabletop-envs\[render\]"):
        Views(jumpgate.game).env(render_mode="rgb_array")
    env = Views(jumpgate.game).env(render_mode="svg")
    env.reset(seed=1)
    assert env.render().startswith("<svg ")


def test_games_without_pictures_have_text(jumpgate: Ruleset) -> None:
    plain = replace(jumpgate, game=replace(jumpgate.game, draw=None))
    session = Session(plain)
    session.reset(1)
    with pytest.raises(TabletopError, match="has no pictures"):
        draw(scene_of(session))


# --- a window for people ---------------------------------------------------------------------


class FakeTk:
    """What `window.py` uses of tkinter; `is_broken` as on a display that cannot be reached."""

    class TclError(Exception):
        pass

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.titles: list[str] = []
        self.is_broken = False
        self.Label = self.Tk = lambda *arguments, **options: self

    def winfo_screenheight(self) -> int:
        if self.is_broken:
            raise self.TclError
        return 500

    def winfo_toplevel(self) -> FakeTk:
        return self

    def winfo_exists(self) -> bool:
        return True

    def configure(self, image: Any) -> None:
        self.shown.append(image)

    def title(self, words: str) -> None:
        self.titles.append(words)

    def pack(self) -> None: ...

    def update(self) -> None: ...


@pytest.fixture
def tk(monkeypatch: pytest.MonkeyPatch) -> FakeTk:
    fake = FakeTk()
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setitem(sys.modules, "tkinter", fake)
    photos = SimpleNamespace(PhotoImage=lambda image, master: image)
    monkeypatch.setitem(sys.modules, "PIL.ImageTk", photos)
    monkeypatch.setattr("PIL.ImageTk", photos, raising=False)
    monkeypatch.setattr("tabletop_core.window._window", [])
    return fake


def test_people_see_each_position_in_a_window_that_fits_the_screen(
    jumpgate: Ruleset, tk: FakeTk, capsys: pytest.CaptureFixture[str]
) -> None:
    env = Views(jumpgate.game).env(render_mode="human")
    env.reset(seed=1)
    env.step(env.legal_actions()[0])
    assert env.render() is None
    assert len(tk.shown) == 3
    assert all(image.height <= 450 for image in tk.shown)
    assert tk.titles[0].startswith("Jump Gate: player ")
    assert capsys.readouterr().out == ""


def test_without_a_window_people_see_text(
    jumpgate: Ruleset, tk: FakeTk, capsys: pytest.CaptureFixture[str]
) -> None:
    tk.is_broken = True
    env = Views(jumpgate.game).env(render_mode="human")
    env.reset(seed=1)
    assert tk.shown == []
    assert capsys.readouterr().out.startswith("Jump Gate, turn 1")


# --- texts -----------------------------------------------------------------------------------


def test_widths_are_those_of_pillows_font() -> None:
    font = ImageFont.load_default(1000)
    for code in range(ord(" "), ord("~") + 1):
        assert text_width(chr(code), 1000) == pytest.approx(font.getlength(chr(code)), abs=1)
    assert text_width("…", 1000) == pytest.approx(font.getlength("…"), abs=1)


def test_texts_are_fitted() -> None:
    assert fit_text("short", 14, 200) == ("short", 14)
    words, size = fit_text("a rather long text", 14, 100)
    assert words == "a rather long text" and 11 <= size < 14
    words, size = fit_text("a rather long text", 14, 50)
    assert words.endswith("…") and size == 11 and text_width(words, size) <= 50


def test_overlapping_texts_are_noticed() -> None:
    canvas = Canvas(100, 40, "t", "#ffffff")
    canvas.text((5, 10), "one text", 12)
    canvas.text((20, 14), "another", 12)
    with pytest.raises(AssertionError):
        require_readable(canvas.drawing())


# --- the rings of Junk Orbit -----------------------------------------------------------------


def require_apart(rings: tuple[tuple[str, ...], ...]) -> None:
    frame, cell = (0.0, 0.0, 784.0, 610.0), (88.0, 88.0)
    places = city_places(rings, frame, cell)
    assert set(places) == {city for ring in rings for city in ring}
    boxes = [(x - 43, y - 43, x + 43, y + 43) for x, y in places.values()]
    for k, box in enumerate(boxes):
        assert not any(overlap(box, other) for other in boxes[:k])
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= frame[2] and box[3] <= frame[3]


@pytest.mark.parametrize("layout", ["default", "alt1", "alt2", "alt3"])
@pytest.mark.parametrize("num_rings", [3, 4, 5])
def test_cities_do_not_cover_each_other(layout: str, num_rings: int) -> None:
    require_apart(junkorbit_v0.GAME.ruleset(5, layout=layout).tables.rings[:num_rings])


@pytest.mark.parametrize("seed", range(4))
def test_rings_of_ones_own_can_be_drawn(seed: int) -> None:
    """§1.4: transfer cities may lie anywhere on their rings."""
    rng = random.Random(seed)
    rings = junkorbit_v0.GAME.ruleset(5).tables.rings
    require_apart(tuple(tuple(rng.sample(ring, len(ring))) for ring in rings))
