"""SyncEnvClient over a client object of whichever official package this Python has.

argv: URL of a lab, URL of a toolbox
"""

import asyncio
import json
import sys
import threading

from openenv.core import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient

from openenv_notebook import SyncEnvClient

lab, toolbox = sys.argv[1:]
said = {}


async def under_a_loop() -> None:
    """The whole episode under a running loop, as in a cell."""
    with SyncEnvClient(GenericEnvClient(base_url=lab)) as env:
        first = env.reset(seed=3)
        second = env.step({"op": "echo", "value": 5})
        said["episode"] = [first.observation["value"], second.observation["value"], second.reward]
        said["state"] = env.state()["step_count"]
        said["twin"] = type(env.async_client).__module__
        try:
            env.episode
        except Exception as error:
            said["record"] = type(error).__name__


asyncio.run(under_a_loop())
with SyncEnvClient(MCPToolClient(base_url=toolbox)) as env:
    env.reset()
    said["tools"] = sorted(tool.name for tool in env.list_tools())
    said["value"] = env.call_tool("echo_message", message="x")

env = SyncEnvClient(GenericEnvClient(base_url=lab)).connect()
env.reset()
sessions = [env.step({"op": "echo"}).observation["session"]]
workers = [threading.Thread(target=lambda: sessions.append(env.step({"op": "echo"}).observation["session"]))]
for worker in workers:
    worker.start()
    worker.join()
said["one session"] = len(set(sessions)) == 1
env.close()
env.close()
said["status"] = env.status
said["threads"] = [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv-loop")]
print(json.dumps(said))
