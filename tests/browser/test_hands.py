"""Hands with a pace of their own and a slow way to the kernel; what is typed into the panel by them is sent."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise

import pytest
from playwright.sync_api import Page, WebSocket, expect
from support.hands import Hands
from support.notebook_page import NotebookPage
from support.panel_page import PanelPage
from support.slow_wire import SlowWire
from support.typed_actions import KERNEL, wrong_or_lost
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

DELAYS = (0, 40, 120, 300)
_KEYS = """() => {
    window.keys = [];
    for (const type of ['keydown', 'input', 'keyup', 'mousedown', 'mouseup', 'click'])
        document.addEventListener(type, event => window.keys.push(
            [type, event.key ?? event.data ?? '', event.isTrusted, event.timeStamp]), true);
}"""
# Milliseconds of a question to the kernel, asked in the page.
_ROUND_TRIP = f"""async () => {{
    const kernel = {KERNEL}, start = performance.now();
    await kernel.requestKernelInfo();
    return performance.now() - start;
}}"""


@pytest.mark.parametrize("gap", (0, 40, 120))
def test_hands_are_real(new_page: Callable[..., Page], gap: int) -> None:
    """Keys and clicks are events that a page trusts, one after the other as typed, and never closer than the gap."""
    page = new_page()
    page.set_content("<input value='old'><button>go</button>")
    page.evaluate(_KEYS)
    hands = Hands(page, gap)
    hands.type(page.locator("input"), "aB7\n")
    hands.enter()
    hands.click(page.locator("button"))
    expect(page.locator("input")).to_have_value("aB7")
    heard = page.evaluate("() => window.keys")
    assert all(trusted for _, _, trusted, _ in heard)
    downs = [(key, time) for type, key, _, time in heard if type == "keydown"]
    assert [key for key, _ in downs] == ["a", "B", "7", "Enter", "Enter"]
    assert all(later - earlier >= gap - 1 for (_, earlier), (_, later) in pairwise(downs))
    assert [key for type, key, _, _ in heard if type == "input"] == ["a", "B", "7"]
    assert [type for type, _, _, _ in heard][-3:] == ["mousedown", "mouseup", "click"]


def test_a_slow_wire_takes_its_time(open_notebook: Callable[..., NotebookPage]) -> None:
    """A question to the kernel takes at least what both ways were told to, also when that is changed."""
    notebook = open_notebook([], delay_ms=0)
    took = {}
    for there, back in ((0, 0), (40, 0), (0, 120), (120, 40), (300, 300), (0, 0)):
        notebook.wire.delay(there, back)
        took[there, back] = notebook.page.evaluate(_ROUND_TRIP)
        assert took[there, back] >= there + back
    print({ways: round(ms) for ways, ms in took.items()})


def test_a_slow_wire_keeps_the_order() -> None:
    """Frames of all sizes, text and bytes, come back whole and in order, whatever the delay is meanwhile."""

    sizes = (0, 1, 125, 126, 65_535, 65_536, 300_000)
    frames = [kind * size for _ in range(4) for size in sizes for kind in ("ü", b"\xff")]
    with (
        _echo() as url,
        SlowWire(url) as wire,
        connect(_channels(wire), max_size=None) as socket,
        ThreadPoolExecutor(1) as reader,
    ):
        heard = reader.submit(lambda: [socket.recv(20) for _ in frames])
        for place, frame in enumerate(frames):
            wire.delay(*((0, 0), (30, 5), (5, 30))[place % 3])
            socket.send(frame)
        assert heard.result(30) == frames


def test_a_slow_wire_keeps_frames_whole(open_notebook: Callable[..., NotebookPage]) -> None:
    """Much that is printed and shown arrives whole, in the binary frames of today's protocol."""
    cells = [
        "import hashlib\nfor place in range(300):\n    print(place, hashlib.sha256(b'%d' % place).hexdigest() * 40)",
        "from IPython.display import display\ndisplay({'text/plain': 'ü×' * 500_000}, raw=True)",
    ]
    notebook = open_notebook(cells, delay_ms=40)
    kinds, before = set(), notebook.wire.channels
    assert before > 0

    def listen(socket: WebSocket) -> None:
        if "/channels" in socket.url:
            socket.on("framereceived", lambda frame: kinds.add(type(frame)))

    notebook.page.on("websocket", listen)
    notebook.close_all()
    notebook.open_here(notebook.name)
    notebook.page.remove_listener("websocket", listen)
    notebook.start(0)
    notebook.start(1)
    # The delay is taken away while much is underway: nothing overtakes.
    notebook.wire.delay(0)
    notebook.wait_ended()
    lines = [f"{place} {hashlib.sha256(b'%d' % place).hexdigest() * 40}\n" for place in range(300)]
    assert notebook.printed(0) == "".join(lines)
    shown = notebook.outputs(1)[0]["data"]["text/plain"]
    assert "".join(shown) == "ü×" * 500_000
    assert kinds == {bytes}


def test_a_slow_wire_ends_clean() -> None:
    """Closed while messages are underway, it ends its thread, and a page hears that its kernel's socket is gone."""
    with _echo() as url:
        wire = SlowWire(url).start()
        with connect(_channels(wire)) as socket:
            assert wire.channels == 1
            wire.delay(60_000)
            socket.send("underway")
            wire.close()
            assert not wire.is_running and wire.channels == 0
            with pytest.raises(ConnectionClosed):
                socket.recv(20)


@pytest.mark.timeout(120)
def test_unhurried_hands_send_what_they_typed(open_panel: Callable[..., PanelPage]) -> None:
    """Whoever waits until the panel shows what was typed sends that, in a form and as a move, however slow the wire."""
    panel = _open_lab(open_panel)
    for delay in DELAYS:
        panel.notebook.wire.delay(delay)
        for box, gap in ((panel.box("op"), 0), (panel.move, 40)):
            outcome = wrong_or_lost(panel, Hands(panel.page, gap), box, [f"left {delay} {gap}"], unhurried=True)
            assert outcome.counts == (0, 0, 0), outcome


@pytest.mark.timeout(120)
@pytest.mark.parametrize("gap", (0, 40))
def test_hurried_hands_send_once_what_stood_there(open_panel: Callable[..., PanelPage], gap: int) -> None:
    """Whoever does not wait makes one step at most by an Enter, and none of what never stood in the box."""
    panel = _open_lab(open_panel)
    hands = Hands(panel.page, gap)
    stood: set[str] = set()
    for delay in (0, 120, 300):
        panel.notebook.wire.delay(delay)
        for kind, box in (("form", panel.box("op")), ("move", panel.move)):
            text = f"{kind}-{delay}"
            stood |= {text[:length] for length in range(1, len(text) + 1)}
            outcome = wrong_or_lost(panel, hands, box, [text])
            print(f"{kind}, {delay} ms each way, {gap} ms between keys: {outcome.made}")
            assert outcome.doubled == 0, outcome
            assert {step for _, steps in outcome.made for step in steps} <= stood


def test_a_typed_answer_arrives_whole(open_panel: Callable[..., PanelPage]) -> None:
    """While a cell awaits the person's answer, all of a text arrives, and what is typed after it, too."""
    panel = _open_lab(open_panel, "print(await panel.ask(timeout=30))")
    hands = Hands(panel.page, 40)
    panel.notebook.start(2)
    expect(panel.said).to_have_text("Your move: choose an action, then Answer")
    hands.type(panel.box("op"), "an answer")
    expect(panel.sends).to_have_text("env.step(op='an answer')")
    hands.enter()
    panel.notebook.wait_ended()
    assert panel.notebook.printed(2) == "{'op': 'an answer'}\n"
    hands.type(panel.box("op"), "later")
    expect(panel.sends).to_have_text("env.step(op='later')")


def _open_lab(open_panel: Callable[..., PanelPage], *cells: str) -> PanelPage:
    """Open a panel on a lab that has begun an episode, with a wire."""
    return open_panel("lab", list(cells), setup="env.reset()\nNone", delay_ms=0)


@contextmanager
def _echo() -> Iterator[str]:
    """Have a server that says what it is told, and give its address."""

    def echo(socket: ServerConnection) -> None:
        for frame in socket:
            socket.send(frame)

    with serve(echo, "127.0.0.1", 0, max_size=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"


def _channels(wire: SlowWire) -> str:
    return f"{wire.url.replace('http', 'ws')}/api/kernels/one/channels"
