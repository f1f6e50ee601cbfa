"""The panel asks the person: whoever waits for the action gets it, or is told why not."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from support.panel_hands import PanelHands
from support.waiting import eventually, eventually_here
from support.wire import FarEnd, result_frame

from openenv_notebook.values.errors import ClientClosed, MisuseError, NotSupportedHere, ReplyTimeout

from .conftest import Env, MakePanel

Ask = Callable[[float | None], Future[Any]]


@pytest.fixture
def asked(notebook: InteractiveShell, make_panel: MakePanel, playing: Env) -> PanelHands:
    """Hands on a panel in a notebook, whose clicks arrive while somebody waits for them."""
    return make_panel(playing)


@pytest.fixture
def elsewhere() -> Iterator[Callable[[Any], Future[Any]]]:
    """Awaits something on a thread of its own, since an older kernel's main thread may not wait for clicks."""
    with ThreadPoolExecutor() as threads:
        yield lambda waiting: threads.submit(asyncio.run, waiting)


def answer(hands: PanelHands, text: str) -> None:
    """Answer the question that is asked, or soon will be."""
    hands.control("Answer ▸")
    hands.enter("Move", text)


def test_a_question_is_answered_by_step(asked: PanelHands, elsewhere: Any, far_end: FarEnd) -> None:
    """The action that is chosen is the answer; no step is made."""
    waiting = elsewhere(asked.panel.ask(5))
    asked.control("Answer ▸")
    asked.panel.form.set({"column": 4})
    asked.press("Answer ▸")
    assert waiting.result(5) == {"column": 4}
    asked.control("Step ▸")
    assert far_end.steps == []


def test_a_policy_that_asks_is_the_person(asked: PanelHands, far_end: FarEnd) -> None:
    """What a policy got from the person stands in the record as the person's."""

    async def ask(observation: Any) -> Any:
        return await asked.panel.ask(5)

    run = asked.panel.play(ask, steps=1)
    answer(asked, "4")
    assert run.wait(5)
    assert far_end.steps == [{"column": 4}]
    assert asked.panel.client.episode[-1].actor == "person"


def test_a_question_nobody_answers_times_out(asked: PanelHands, elsewhere: Any) -> None:
    """ask(timeout) ends with a timeout, and another question can be asked."""
    with pytest.raises(ReplyTimeout, match="ask"):
        elsewhere(asked.panel.ask(0.05)).result(5)
    asked.panel.form.set({"column": 1})
    asked.expect(sends="column=1")
    asked.control("Step ▸")
    again = elsewhere(asked.panel.ask(5))
    answer(asked, "3")
    assert again.result(5) == {"column": 3}


def test_a_cancelled_question_is_over(asked: PanelHands, elsewhere: Any) -> None:
    """Cancelling the wait takes the question back."""

    async def given_up() -> bool:
        waiting = asyncio.ensure_future(asked.panel.ask(None))
        await eventually_here(lambda: asked.is_seen("Answer ▸"))
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        return waiting.cancelled()

    assert elsewhere(given_up()).result(5)
    eventually(lambda: asked.is_seen("Step ▸") and not asked.is_seen("Answer ▸"))


def test_one_question_at_a_time(asked: PanelHands, elsewhere: Any) -> None:
    """A second question is refused while the first waits, which is answered all the same."""
    first = elsewhere(asked.panel.ask(5))
    asked.control("Answer ▸")
    with pytest.raises(MisuseError, match="asked already"):
        elsewhere(asked.panel.ask(None)).result(5)
    answer(asked, "2")
    assert first.result(5) == {"column": 2}


def test_closing_the_panel_ends_the_question(asked: PanelHands, elsewhere: Any) -> None:
    """Whoever waits for the person is told that the panel is gone."""
    waiting = elsewhere(asked.panel.ask(None))
    asked.control("Answer ▸")
    asked.panel.close()
    with pytest.raises(ClientClosed, match="panel was closed"):
        waiting.result(5)


async def test_asking_without_a_notebook_is_refused_at_once(hands: PanelHands) -> None:
    """Where nobody can click, ask() says so and what to do instead (C04)."""
    with pytest.raises(NotSupportedHere, match="no notebook here"):
        await hands.panel.ask()


def _press(hands: PanelHands) -> None:
    hands.panel.form.set({"column": 3})
    hands.press("Step ▸")


def _enter(hands: PanelHands) -> None:
    hands.enter("Move", "3")


def _move(hands: PanelHands) -> None:
    hands.press("3")


@pytest.mark.parametrize("act", [_press, _enter, _move])
@pytest.mark.parametrize("end", ["timeout", "answer", "cancelled"])
def test_a_click_for_a_question_is_never_a_step(
    asked: PanelHands, elsewhere: Any, far_end: FarEnd, act: Callable[[PanelHands], None], end: str
) -> None:
    """R24: A click right behind a question's end, whatever ended it, makes no step and says so; a later one does."""

    async def cancelled() -> None:
        waiting = asyncio.ensure_future(asked.panel.ask(None))
        await eventually_here(lambda: asked.is_seen("Answer ▸"))
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting

    far_end.policy = lambda request: result_frame({"legal_actions": [0, 3]}, 1.0)
    asked.panel.client.step(column=0)
    asked.control("3")
    if end == "answer":
        waiting = elsewhere(asked.panel.ask(5))
        asked.control("Answer ▸")
        asked.panel.form.set({"column": 3})
        asked.press("Answer ▸")
        assert waiting.result(5) == {"column": 3}
    else:
        with contextlib.suppress(ReplyTimeout):
            elsewhere(asked.panel.ask(0.05) if end == "timeout" else cancelled()).result(5)
    act(asked)
    asked.expect(said="nobody asks any more, and no step was made")
    assert far_end.steps == [{"column": 0}]
    asked.control("Step ▸")
    # One that was tried while the first was on its way may make another.
    eventually(lambda: asked.press("Step ▸") or len(far_end.steps) > 1, 5, "a later click makes the step")
    assert far_end.steps[1] == {"column": 3}


def test_who_asks_goes_on_where_it_asked(asked: PanelHands, elsewhere: Any) -> None:
    """R08: behind the question a coroutine is on its thread and has its context variables, as before it."""
    mode = contextvars.ContextVar("mode", default="none")

    async def places() -> list[tuple[str, int]]:
        mode.set("mine")
        before = mode.get(), threading.get_ident()
        await asked.panel.ask(5)
        return [before, (mode.get(), threading.get_ident())]

    waiting = elsewhere(places())
    answer(asked, "4")
    before, behind = waiting.result(5)
    assert before == behind and behind[0] == "mine"
