"""An interpreter that ends with everything still open, and one call still waiting.

argv: URL, a gate that stays shut
"""

import asyncio
import contextlib
import sys
import threading

import openenv_notebook
from openenv_notebook import GenericEnvClient, SessionLost

url, gate = sys.argv[1:]
server = openenv_notebook.serve("demo:grid")
kept = [openenv_notebook.connect(url) for _ in range(3)]
kept += [openenv_notebook.connect(server.url), openenv_notebook.connect("demo:echo")]
for env in kept:
    env.reset()
kept[0].subscribe(lambda event: None)
kept[0].step(op="echo")


async def awaited() -> None:
    """An asynchronous client that nobody closes."""
    client = GenericEnvClient(url)
    await client.connect()
    await client.reset()
    kept.append(client)


asyncio.run(awaited())


def waiting() -> None:
    """A call that the end of the process ends."""
    with contextlib.suppress(SessionLost):
        kept[1].step(op="echo", gate=gate)


threading.Thread(target=waiting, daemon=True).start()
while not kept[1].activity:
    pass
