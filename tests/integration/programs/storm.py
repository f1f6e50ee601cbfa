"""Interrupts at random moments of calls, blocking and awaited; what the server saw decides.

argv: URL, number of interrupts, seed
"""

import asyncio
import json
import sys
import urllib.request
from typing import Any

from interrupts import Interrupts

from openenv_notebook import GenericEnvClient
from openenv_notebook.threads import portal

url, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
WITHIN, SECONDS = 0.004, 0.002
interrupts = Interrupts(seed)


class Guest:
    """Keeps the portal, to look at its tasks."""

    def shut_down(self) -> None:
        """Nothing is to be closed."""

    def orphan(self) -> None:
        """Nothing is to be let go."""


guest = Guest()
lease = portal.lease(guest)
env = GenericEnvClient(url).sync().connect()
client = env.async_client
# Python leaves a file open where a module's import is interrupted: the model of actions is loaded before.
env.schema()
assert env.Action
sessions = {env.reset().observation.session}
outcomes = {}
wrong = []


def check(tag: int, kind: str, value: Any) -> None:
    """Compare a reply with its call."""
    if kind == "state":
        sessions.add(value.episode_id)
    else:
        sessions.add(value.observation.session)
        if value.observation.tag != tag:
            wrong.append([tag, value.observation.tag])


def call(tag: int, kind: str) -> Any:
    """Choose a call; all but the state carry the tag to the server and back."""
    if kind == "state":
        return env.state()
    return env.reset(tag=tag) if kind == "reset" else env.step(op="echo", tag=tag, seconds=SECONDS)


async def awaited(tag: int, kind: str) -> Any:
    """The same, awaited, where an interrupt cancels the task as asyncio.run does."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel() -> None:
        task.cancel()
        loop.call_soon_threadsafe(lambda: None)

    interrupts.cancel = cancel
    interrupts.arm(WITHIN)
    if kind == "state":
        return await client.state()
    if kind == "reset":
        return await client.reset(tag=tag)
    return await client.step(op="echo", tag=tag, seconds=SECONDS)


def note(tag: int, kind: str, error: BaseException) -> None:
    """Keep what an interrupt said of its call."""
    if kind == "step":
        outcomes[tag] = getattr(error, "sent", None)


with asyncio.Runner() as runner:
    tag = number * seed * 100
    while interrupts.count < number:
        tag += 1
        kind = interrupts.random.choices(["step", "state", "reset"], [8, 1, 1])[0]
        is_awaited = tag % 4 == 0
        try:
            if is_awaited:
                value = runner.run(awaited(tag, kind))
            else:
                interrupts.arm(WITHIN)
                value = call(tag, kind)
            interrupts.disarm()
            check(tag, kind, value)
            if kind == "step":
                outcomes[tag] = "value"
        except (KeyboardInterrupt, asyncio.CancelledError) as error:
            note(tag, kind, error)
        interrupts.cancel = None
        interrupts.disarm()
        assert env.status == "open", env.status

env.settle(10)
with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url + "/made") as response:
    made = [made for made in json.load(response) if made in outcomes]
recorded = [step.action["tag"] for episode in env.episodes for step in episode if step.kind == "step"]
owed = {step.action["tag"] for episode in env.episodes for step in episode if step.kind == "step" and step.owed}
sent = [tag for tag, outcome in outcomes.items() if outcome is True]
withdrawn = [tag for tag, outcome in outcomes.items() if outcome is False]
tasks = lease.call(lambda: len(asyncio.all_tasks())) - 1
print(
    json.dumps(
        {
            "interrupts": interrupts.count,
            "calls": tag,
            "sent": len(sent),
            "withdrawn": len(withdrawn),
            "outside a wait": sum(outcome is None for outcome in outcomes.values()),
            "wrong replies": wrong,
            "sessions": len(sessions),
            "made twice": sorted({tag for tag in made if made.count(tag) > 1}),
            "answered but not made": [tag for tag in outcomes if outcomes[tag] == "value" and tag not in made],
            "sent but not made": [tag for tag in sent if tag not in made],
            "withdrawn but made": [tag for tag in withdrawn if tag in made],
            "sent but not owed in the record": [tag for tag in sent if tag not in owed],
            "record differs": recorded != made,
            "tasks": tasks,
            "owed": env.owed,
            "activity": env.activity,
        }
    )
)
env.close()
portal.give_back(guest, join=True)
