"""Import, load, use and unload; print as JSON what is not as it was before, and what was seen meanwhile.

The only argument is the loop policy: "asyncio" or "uvloop".
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

if sys.argv[1] == "uvloop":
    import uvloop

    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
else:
    # Whoever asks first makes it.
    asyncio.get_event_loop_policy()


def picture(shell: InteractiveShell) -> dict[str, Any]:
    """What a library could change of its host."""
    loggers = {name: logging.getLogger(name) for name in ("", "asyncio", "IPython", "websockets")}
    patched = [asyncio.run, asyncio.Task, asyncio.Future, asyncio.get_event_loop, asyncio.new_event_loop]
    return {
        "policy": id(asyncio.events._event_loop_policy),
        "asyncio": [id(each) for each in patched] + [id(asyncio.BaseEventLoop.run_forever)],
        "loop": str(asyncio._get_running_loop()),
        "signals": {number.name: repr(signal.getsignal(number)) for number in signal.valid_signals() if number != 0
                    and isinstance(number, signal.Signals)},
        "environment": dict(os.environ),
        "handlers": {name: [repr(handler) for handler in logger.handlers] for name, logger in loggers.items()},
        "levels": {name: logger.level for name, logger in loggers.items()},
        "hooks": [repr(hook) for hook in (sys.excepthook, sys.displayhook, threading.excepthook, sys.unraisablehook)],
        "warnings": [repr(each) for each in warnings.filters],
        "timeout": socket.getdefaulttimeout(),
        "line magics": sorted(shell.magics_manager.magics["line"]),
        "cell magics": sorted(shell.magics_manager.magics["cell"]),
        "events": {name: len(calls) for name, calls in shell.events.callbacks.items()},
        "matchers": len(shell.Completer.matchers),
        "printers": {name: len(each.type_printers) for name, each in shell.display_formatter.formatters.items()},
        "nest": sorted(name for name in sys.modules if name.startswith("nest_asyncio")),
    }  # fmt: skip


shell = InteractiveShell.instance()
before, folder = picture(shell), sorted(sys.modules)

import openenv_notebook  # noqa: E402

imported = picture(shell)
shell.run_line_magic("load_ext", "openenv_notebook")
meanwhile: list[dict[str, str]] = []
try:
    openenv_notebook.connect("127.0.0.1:1", progress=lambda _: meanwhile.append(dict(os.environ)))
except openenv_notebook.ConnectFailed as error:
    refused = str(error)
shell.run_line_magic("openenv", "demo grid")
env = shell.user_ns["env"]
env.reset(seed=1)
reward = env.step("down").reward
shell.run_line_magic("openenv", "close")
del env
shell.run_line_magic("unload_ext", "openenv_notebook")
after = picture(shell)

print()
print(
    json.dumps(
        {
            "imported": [name for name in before if imported[name] != before[name]],
            "unloaded": [name for name in before if after[name] != before[name]],
            "meanwhile": all(environment == before["environment"] for environment in meanwhile),
            "looked": len(meanwhile),
            "refused": refused,
            "reward": reward,
        }
    )
)
