"""Somebody's functions that we call later: with the context of who gave them, and none that nobody would await."""

from __future__ import annotations

import contextvars
import decimal
import functools
from collections.abc import Callable
from typing import Any

import pytest
from support.waiting import eventually

from openenv_notebook import connect
from openenv_notebook.client.clients import SyncEnvClient
from openenv_notebook.jupyter import Panel
from openenv_notebook.jupyter.show.renderers import register, unregister
from openenv_notebook.play.rollout import Rollout
from openenv_notebook.values.errors import MisuseError

Env = SyncEnvClient[Any, Any, Any]
mode = contextvars.ContextVar("mode", default="none")
STEP = {"column": 1}


async def awaited(*_: Any) -> None:
    """Would have to be awaited."""


class Awaited:
    """Has a method that would have to be awaited."""

    async def method(self, *_: Any) -> None:
        """Wait."""


DOORS: dict[str, Callable[[Env, Any], Any]] = {
    "subscribe()": lambda env, function: env.subscribe(function),
    "on_step": lambda env, function: Rollout(env, on_step=function),
    "on_end()": lambda env, function: Rollout(env).on_end(function),
    "progress": lambda env, function: connect("localhost:1", progress=function),
    "register_renderer()": lambda env, function: register("tried", function),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("function", [awaited, Awaited().method, functools.partial(awaited, 1)])
def test_what_nobody_would_await_is_refused(env: Env, door: str, function: Any) -> None:
    """R09: an asynchronous function, which nobody would await, is refused by the name of the call, at every door."""
    with pytest.raises(MisuseError) as caught:
        DOORS[door](env, function)
    assert str(caught.value).startswith(f"{door} takes a plain function")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("function", [7, "print", object()])
def test_what_cannot_be_called_is_refused(env: Env, door: str, function: Any) -> None:
    """What is no function is refused by the name of the call, when it is given."""
    with pytest.raises(MisuseError, match=f"takes a function, not a {type(function).__name__}"):
        DOORS[door](env, function)


def test_subscribers_have_the_context_of_who_subscribed(playing: Env) -> None:
    """R08: each subscriber sees the context variables of its own subscription, decimal's among them, not of others."""
    seen: dict[str, tuple[str, int]] = {}

    def subscribe(name: str, digits: int) -> None:
        mode.set(name)
        decimal.getcontext().prec = digits
        playing.subscribe(lambda event: seen.update({name: (mode.get(), decimal.getcontext().prec)}))

    for name, digits in (("a", 5), ("b", 7)):
        contextvars.Context().run(subscribe, name, digits)
    playing.step(STEP)
    eventually(lambda: len(seen) == 2)
    assert seen == {"a": ("a", 5), "b": ("b", 7)}
    assert mode.get() == "none"


def test_runs_have_the_context_of_who_started_them(playing: Env) -> None:
    """R08: policy, on_step and on_end see the context variables of the start."""
    seen: list[str] = []

    def start() -> None:
        mode.set("mine")
        run = Rollout(
            playing, lambda _: seen.append(mode.get()) or STEP, steps=1, on_step=lambda _: seen.append(mode.get())
        )
        run.start().on_end(lambda _: seen.append(mode.get()))
        assert run.wait(5)

    contextvars.copy_context().run(start)
    assert seen == ["mine"] * 3


@pytest.mark.parametrize("door", ["register_renderer", "panel.render"])
def test_renderers_have_the_context_of_who_gave_them(playing: Env, door: str) -> None:
    """R08: a renderer sees the context variables of where it was given, though a panel draws on another thread."""
    seen: list[tuple[int, str]] = []

    def draw(observation: Any) -> str:
        seen.append((observation["step"], mode.get()))
        return "drawn"

    def give(panel: Any) -> None:
        mode.set("mine")
        if door == "panel.render":
            panel.render(draw)
        else:
            register("connect4_of_test", draw)

    playing.known.name = "connect4_of_test"
    panel = Panel(playing)
    try:
        contextvars.copy_context().run(give, panel)
        playing.step(STEP)
        eventually(lambda: 1 in dict(seen), what="the step is drawn")
    finally:
        panel.close()
        unregister("connect4_of_test")
    assert {where for _, where in seen} == {"mine"}
