"""Clients, servers, results, steps and episodes -> blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openenv_notebook.jupyter.show.blocks import Block, Column, Fields, Line, Look, Span, Stack, Table, facts, line
from openenv_notebook.jupyter.show.describe import Describer
from openenv_notebook.jupyter.show.numbers import number, sparkline
from openenv_notebook.jupyter.show.observations import seen
from openenv_notebook.jupyter.show.plain import as_fields, short
from openenv_notebook.record.episode import Episode
from openenv_notebook.record.step import Step
from openenv_notebook.schema.action import only_required_field
from openenv_notebook.schema.describe import fields_line
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.values.secrets import HIDDEN, hides, secrets_of
from openenv_notebook.values.text import cut, named_words

_MOST_STEPS = 20
# Fewer rewards than these are seen in the table.
_CURVE = 8
# The last of a long episode, as in the panel.
_CURVE_OF = 400
_STATES: dict[str, Look] = {"open": "good", "lost": "bad"}
_STEP_COLUMNS = (
    Column("#", is_number=True),
    Column("who"),
    Column("action", is_code=True),
    Column("reward", is_number=True),
    Column("done"),
    Column("ms", is_number=True),
)


def reward(value: Any) -> str:
    """Write a reward with its sign: ``+1``, ``-0.46``, ``0``; ``none`` where there is none."""
    if value is None:
        return "none"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"+{number(value)}" if value > 0 else number(value)


def yes(value: Any) -> str:
    """Write a truth as a word."""
    return "yes" if value else "no"


def of_result(result: Any) -> Block:
    """Describe what a reset or a step gave, ours or the official package's: reward and end, then the observation."""
    describer = Describer(secrets_of(result))
    gained = Span(reward(result.reward), "muted" if result.reward is None else "strong")
    head = facts(("reward", gained), ("done", yes(result.done)))
    shown = seen(result)
    if not isinstance(shown, dict):
        return Stack((head, describer.value(shown)))
    return Stack((head, describer.fields(shown))) if shown else head


def of_client(client: Any) -> Block:
    """Describe a client by what it knows: nobody is asked."""
    known = getattr(client, "known", None)
    state = str(client.status)
    name = type(client.async_client if hasattr(client, "async_client") else client).__name__
    way = "sync" if hasattr(client, "async_client") else "async"
    head = line(
        Span(name, "strong"),
        Span(f" {way}  ", "muted"),
        Span("● " if state == "open" else "○ ", _STATES.get(state, "muted")),
        Span(state),
    )
    rows: list[tuple[str, Block]] = [("server", line(Span(client.base_url or "not started yet", "code")))]
    if client.activity:
        rows.append(("waiting", line(client.activity)))
    if client.owed:
        rows.append(("owed", line("1 reply" if client.owed == 1 else f"{client.owed} replies")))
    if len(client.episode):
        rows.append(("episode", _progress(client.episode, len(client.episodes))))
    action = known.action if known is not None else None
    takes = fields_line(action)
    if takes:
        rows.append(("action", line(Span(takes, "code"))))
    tools = known.tools if known is not None else None
    if tools:
        rows.append(("tools", line(Span(", ".join(tool.name for tool in tools[:12]), "code"))))
    rows.append(("next", line(Span(_following(client, action, way), "accent"))))
    return Stack((head, Fields(tuple(rows))))


def _following(client: Any, action: Shape | None, way: str) -> str:
    """Say what can be called next."""
    awaited = "await " if way == "async" else ""
    if client.status == "closed":
        return "connect(…) for a new client"
    if client.status == "lost" or not len(client.episode) or client.done:
        return f"{awaited}reset()"
    field = only_required_field(action)
    return f"{awaited}step({field.name}=…)" if field is not None else f"{awaited}step(…)"


def _progress(episode: Episode, place: int) -> Line:
    parts = facts(
        ("", str(place)),
        ("steps", str(episode.length)),
        ("return", reward(episode.total_reward)),
        ("done", yes(episode.done)),
    )
    return Line(parts.spans[1:])


def of_server(server: Any) -> Block:
    """Describe a local server."""
    head = line(
        Span(server.name, "strong"),
        "  ",
        Span("● " if server.running else "○ ", "good" if server.running else "muted"),
        Span("running" if server.running else "stopped"),
    )
    if not server.running:
        return head
    rows: list[tuple[str, Block]] = [("address", line(Span(server.url, "code")))]
    active, maximum = server.sessions_active, server.sessions_maximum
    if active is not None and maximum is not None:
        rows.append(("sessions", line(f"{active} of {maximum} in use")))
    return Stack((head, Fields(tuple(rows))))


def of_episode(episode: Episode) -> Block:
    """Describe an episode: its sum, then its last steps."""
    pairs = [("steps", str(episode.length)), ("return", reward(episode.total_reward)), ("done", yes(episode.done))]
    head: Line = facts(*((name, Span(value, "strong")) for name, value in pairs))
    rewards = [step.reward for step in episode[-_CURVE_OF:] if step.kind != "reset" and step.reward is not None]
    if len(rewards) >= _CURVE:
        head = Line((*head.spans, Span(f"   {sparkline(rewards)}", "muted")))
    if not len(episode):
        return head
    shown = episode[-_MOST_STEPS:]
    earlier = len(episode) + episode.forgotten - len(shown)
    steps = list(enumerate(shown, earlier))
    more = (line(Span(f"{earlier} earlier entries", "muted")),) if earlier else ()
    table = Table(_STEP_COLUMNS, tuple(_row(place, step) for place, step in steps))
    return Stack((head, *more, table))


def _row(place: int, step: Step) -> tuple[str, ...]:
    who = f"{step.actor}{', owed' if step.owed else ''}"
    if step.error is not None:
        return str(place), who, _what(step), type(step.error).__name__, yes(step.done), f"{step.seconds * 1000:.0f}"
    return str(place), who, _what(step), reward(step.reward), yes(step.done), f"{step.seconds * 1000:.0f}"


def _what(step: Step) -> str:
    """Write what was sent: ``column=3``, ``reset seed=7``."""
    fields, secrets = as_fields(step.action), secrets_of(step)
    if fields is None:
        text = short(step.action, secrets=secrets)
    else:
        text = ", ".join(
            f"{key}={HIDDEN if hides(str(key), value, secrets) else short(value, 1, secrets)}"
            for key, value in fields.items()
        )
    text = f"{step.kind} {text}".rstrip() if step.kind != "step" else text
    return cut(text, 80)


def of_step(step: Step) -> Block:
    """Describe one entry of a record: what was sent, and what came back."""
    pairs = [(step.kind, step.actor), ("after", f"{step.seconds * 1000:.0f} ms")]
    head = facts(*pairs, *([("owed", "yes")] if step.owed else []))
    rows: list[tuple[str, Block]] = [("action", Describer(secrets_of(step)).value(step.action, depth=1))]
    result = step.result
    if step.error is not None:
        rows.append(("error", of_error(step.error)))
    elif result is not None:
        rows.append(("result", of_result(result)))
    return Stack((head, Fields(tuple(rows))))


def of_error(error: BaseException) -> Block:
    """Describe an error as its text, line by line."""
    texts = named_words(error)[:4000].split("\n")
    return Stack(tuple(line(text) for text in texts[:40]))


def of_episodes(episodes: Sequence[Episode]) -> Block:
    """Describe several episodes, a row each."""
    columns = (
        Column("#", is_number=True),
        Column("steps", is_number=True),
        Column("return", is_number=True),
        Column("done"),
    )
    numbered = list(enumerate(episodes))
    rows = tuple(
        (str(place), str(each.length), reward(each.total_reward), yes(each.done))
        for place, each in numbered[-_MOST_STEPS:]
    )
    return _counted(Table(columns, rows), len(episodes))


def of_steps(steps: Sequence[Step]) -> Block:
    """Describe several entries of a record, a row each."""
    rows = tuple(_row(place, step) for place, step in list(enumerate(steps))[-_MOST_STEPS:])
    return _counted(Table(_STEP_COLUMNS, rows), len(steps))


def of_results(results: Sequence[Any]) -> Block:
    """Describe several results, a row each; the observations in short."""
    columns = (
        Column("#", is_number=True),
        Column("reward", is_number=True),
        Column("done"),
        Column("observation", is_code=True),
    )
    rows = tuple(
        (str(place), reward(each.reward), yes(each.done), short(each.observation, 2, secrets_of(each))[:120])
        for place, each in list(enumerate(results))[-_MOST_STEPS:]
    )
    return _counted(Table(columns, rows), len(results))


def _counted(table: Table, number_of_all: int) -> Block:
    earlier = number_of_all - len(table.rows)
    return Stack((line(Span(f"{earlier} earlier ones", "muted")), table)) if earlier else table
