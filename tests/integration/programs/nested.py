"""Blocking and awaited calls after nest_asyncio, or nest_asyncio2, was applied.

argv: URL MODULE
"""

import asyncio
import importlib
import json
import sys
from typing import Any

import openenv_notebook

url, module = sys.argv[1:]
importlib.import_module(module).apply()
counts = []


async def awaited(env: Any) -> int:
    """One awaited step."""
    return int((await env.async_client.step(op="echo")).observation.count)


async def cell() -> None:
    """What a cell does under a running loop: blocking calls, and a nested asyncio.run."""
    with openenv_notebook.connect(url) as env:
        env.reset()
        counts.append(env.step(op="echo").observation.count)
        counts.append(asyncio.run(awaited(env)))
        counts.append(await awaited(env))
        counts.extend(await asyncio.gather(*(awaited(env) for _ in range(5))))
        counts.append(env.step(op="end").observation.count)


asyncio.run(cell())
with openenv_notebook.connect(url) as env:
    env.reset()
    counts.append(env.step(op="end").observation.count)
print(json.dumps(counts))
