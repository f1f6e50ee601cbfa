"""Interrupts at random moments of connect, reset and step, then a whole episode.

argv: URL, number of interrupts, seed
"""

import gc
import json
import sys
import threading

from interrupts import Interrupts

import openenv_notebook
from openenv_notebook import GenericEnvClient

url, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
interrupts = Interrupts(seed)
# Python swallows an interrupt that comes while it runs a finalizer: they run between the attempts.
gc.disable()
attempts = 0
while interrupts.count < number:
    attempts += 1
    env = None
    try:
        interrupts.arm(0.08)
        env = openenv_notebook.connect(url) if attempts % 2 else GenericEnvClient(url).sync()
        env.connect()
        env.reset()
        for _ in range(100):
            env.step(op="echo", seconds=0.001)
    except KeyboardInterrupt:
        pass
    interrupts.disarm()
    if env is not None and attempts % 3:
        env.close()
    del env
    gc.collect()

with openenv_notebook.connect(url) as env:
    env.reset()
    counts = [env.step(op="echo").observation.count for _ in range(10)]
    done = env.step("end").done
    threads = [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv")]
# A client that was dropped without close() says goodbye in the background, for a second at most.
for thread in threading.enumerate():
    if thread.name.startswith("openenv"):
        thread.join(10)
left = [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv")]
print(json.dumps({"counts": counts, "done": done, "threads": threads, "left": left}))
