"""What runs in the stand-in for a container: a demo, as a real server speaks. argv: IMAGE PORT"""

import os
import signal
import sys
import threading

from openenv_notebook.demo import find_demo
from openenv_notebook.servers.embedded.server import EmbeddedServer

if sys.argv[1].startswith("crashing"):
    print("started with", {name: os.environ[name] for name in os.environ if name.startswith("PLANTED_")}, flush=True)
    print("Traceback (most recent call last):\nModuleNotFoundError: No module named 'env'", flush=True)
    sys.exit(1)
stopped = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopped.set())
with EmbeddedServer(find_demo("echo"), name="echo", port=int(sys.argv[2])):
    print("listening, GREETING is", os.environ.get("GREETING"), flush=True)
    while not stopped.wait(0.2):
        pass
