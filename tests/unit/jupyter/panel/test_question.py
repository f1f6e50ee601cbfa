"""A question to the person: one answer, from any thread, on any loop."""

from __future__ import annotations

import asyncio
import threading

import pytest

from openenv_notebook.jupyter.panel.question import Question
from openenv_notebook.values.errors import ClientClosed, ReplyTimeout


async def test_the_first_answer_holds() -> None:
    """A second answer, and taking an answered question back, do nothing."""
    question = Question()
    question.answer({"x": 1})
    question.answer({"x": 2})
    question.take_back()
    assert await question.answered(0) == {"x": 1}


async def test_an_answer_comes_from_another_thread() -> None:
    """A click is handed over on a thread of its own, and wakes the loop that waits."""
    question = Question()
    waiting = asyncio.ensure_future(question.answered(5))
    threading.Thread(target=question.answer, args=({"x": 1},)).start()
    assert await waiting == {"x": 1}


async def test_a_question_can_be_taken_back() -> None:
    """Taken back quietly it has no answer; taken back by an error it raises that."""
    quiet, loud = Question(), Question()
    quiet.take_back()
    loud.take_back(ClientClosed("the panel was closed"))
    assert await quiet.answered(None) is None
    with pytest.raises(ClientClosed, match="panel was closed"):
        await loud.answered(None)


async def test_a_late_answer_is_for_nobody() -> None:
    """After its time is up a question takes no answer, and nothing is raised where it is given."""
    question = Question()
    with pytest.raises(ReplyTimeout, match="ask"):
        await question.answered(0.01)
    question.answer({"x": 1})
