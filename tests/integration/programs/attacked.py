"""Storms of interrupts from another process, on what is done again and again; then everything still works.

argv: URL, what is attacked, number of interrupts, seed
"""

import asyncio
import collections
import faulthandler
import functools
import gc
import json
import random
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from attack import Attack

from openenv_notebook import GenericEnvClient, Rollout, connect, run_episodes
from openenv_notebook.jupyter.panel.publisher import Publisher
from openenv_notebook.threads.worker import own_threads
from openenv_notebook.values.errors import MisuseError, OpenEnvError

url, what, number, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
# A hang says where.
faulthandler.dump_traceback_later(50 + number / 5, exit=True)
chance = random.Random(seed)
attack = Attack(seed)
# Python swallows an interrupt that comes while something is collected, and says so, to what no interrupt comes in.
sys.unraisablehook = collections.deque[Any](maxlen=0).append


class Own(GenericEnvClient):
    """A subclass with calls of its own, of several steps each."""

    async def twice(self, tag: Any) -> Any:
        """Make two steps."""
        await self.step(op="echo", tag=f"{tag}.0")
        return await self.step(op="echo", tag=f"{tag}.1", size=SIZE)

    async def all_at_once(self, tag: Any) -> Any:
        """Make three steps together."""
        return await asyncio.gather(*(self.step(op="echo", tag=f"{tag}.{n}", size=SIZE) for n in range(3)))


SIZE = 300_000
env = Own(url).sync().connect()
env.schema()
assert env.Action
env.reset()
said: dict[str, Any] = {}


def hit(work: Callable[[], Any], interrupts: int = 1, after: int = 0) -> BaseException | None:
    """Do something once under attack; gives what ended it, None where nothing did."""
    try:
        attack.before, attack.left = after, interrupts
        work()
        attack.left = 0
    except KeyboardInterrupt as error:
        attack.left = 0
        return error
    return None


def subscribing() -> None:
    """Subscribe and unsubscribe."""
    for _ in range(20):
        env.subscribe(lambda event: None)()


def storm_of_subscriptions() -> None:
    """T05."""
    while attack.count < number:
        hit(subscribing)
        said["works"] = env.step(op="echo", value=1).observation.value == 1


def begin_and_end(run: Rollout) -> None:
    """Start a run, stop it, wait for its end."""
    run.start()
    run.fps = None
    run.stop()
    run.wait(5)


def storm_of_runs() -> None:
    """T06."""
    said["refused"] = said["interrupted"] = said["goes on"] = 0
    while attack.count < number:
        run = Rollout(env, lambda seen: {"op": "echo", "seconds": 0.0005}, episodes=None, max_steps=3)
        said["interrupted"] += hit(functools.partial(begin_and_end, run), chance.choice([1, 1, 2, 3])) is not None
        if not run.stopping:
            # Interrupted between two calls, or again while it was told to stop.
            said["goes on"] += run.running
            run.stop()
    for run in [thread for thread in threading.enumerate() if thread.name == "openenv-rollout"]:
        run.join(5)
    try:
        run_episodes(env, lambda seen: {"op": "echo"}, max_steps=2)
    except MisuseError:
        said["refused"] += 1


def tagged(tag: str) -> Callable[[], Any]:
    """A call whose steps carry a tag."""
    if what == "steps":
        return lambda: env.step(op="echo", tag=tag, size=SIZE)
    if what == "own":
        return (lambda: env.twice(tag)) if chance.random() < 0.5 else lambda: env.all_at_once(tag)
    if what == "tools":
        return lambda: env.list_tools(use_cache=False)
    if what == "states":
        return lambda: env.state()
    return lambda: env.step_many([{"op": "echo", "tag": tag} for _ in range(200)], window=8)


def storm_of_calls() -> None:
    """T07, T08."""
    said["without .sent"] = collections.Counter[str]()
    said["interrupted"] = said["sent"] = said["lost"] = said["more than the window"] = 0
    tag = 0
    while attack.count < number:
        tag += 1
        error = hit(tagged(str(tag)), chance.choice([1, 2, 3, 4]) if what == "many" else 1, chance.randrange(12))
        there = len(env.episode)
        if error is not None and what == "many":
            env.state()  # stands in line behind whatever was not taken back
            # Another window may be sent in the turn that the loop has begun.
            said["more than the window"] += len(env.episode) - there > 16
        settled = env.settle(20)
        if error is None:
            continue
        sent = getattr(error, "sent", None)
        if sent is None:
            trace = error.__traceback__
            places = list[str]()
            while trace is not None:
                places.append(f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}")
                trace = trace.tb_next
            said["without .sent"][places[-2]] += 1
        said["interrupted"] += 1
        said["sent"] += bool(sent)
        if sent and not settled:
            said["lost"] += 1


def start_and_stop() -> None:
    """Start a demo's server and a connection to it, look, and end both."""
    with connect("demo:echo") as other:
        other.reset()
        publisher = Publisher(lambda: None)
        publisher.request()
        publisher.flush_on_events_thread(0.2)
        publisher.close()
        other.step("hello")


def storm_of_servers() -> None:
    """T05."""
    while attack.count < number:
        hit(start_and_stop, 1, chance.randrange(30))


def come_and_go() -> None:
    """Connect to a demo, look, and leave it to chance whether it is closed or dropped."""
    other = connect("demo:echo")
    other.reset()
    if chance.random() < 0.7:
        other.close()


def storm_of_connects() -> None:
    """T17."""
    while attack.count < number:
        hit(come_and_go, chance.randrange(1, 4), chance.randrange(30))


with attack:
    storms = {
        "subscriptions": storm_of_subscriptions,
        "runs": storm_of_runs,
        "servers": storm_of_servers,
        "connects": storm_of_connects,
    }
    storms.get(what, storm_of_calls)()
try:
    env.settle(10)
    env.reset()
    said["then"] = env.step(op="echo", value="then").observation.value
except OpenEnvError as error:
    said["then"] = repr(error)
said["interrupts"], said["unsaid"] = attack.count, sum(said.get("without .sent", {}).values())
with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url + "/made") as response:
    made = json.load(response)
said["made"] = len(made)
env.close()
with connect(url) as other:
    other.reset()
del other
pause, until = threading.Event(), time.monotonic() + 10
# Who was interrupted while it unsubscribed, or was told to stop, may be there still.
while what == "connects" and own_threads() and time.monotonic() < until:
    gc.collect()
    pause.wait(0.05)
said["left"] = own_threads()
print(json.dumps(said))
