"""A plain script: a blocking episode, as the README has it, and the end of the interpreter."""

import json
import sys
import threading

import openenv_notebook

env = openenv_notebook.connect(sys.argv[1])
rewards = [env.reset(seed=7).reward, env.step("echo").reward, env.step(op="end").reward]
ended = env.done
env.close()
left = [thread.name for thread in threading.enumerate() if thread.name.startswith("openenv")]
print(json.dumps({"rewards": rewards, "done": ended, "threads": left}))
