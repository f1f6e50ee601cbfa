"""What importing the package brings in, and what it costs beyond websockets and pydantic, in seconds of CPU."""

import json
import sys
import time

import websockets.asyncio.client
from pydantic import BaseModel, Field, TypeAdapter


class First(BaseModel):
    """pydantic loads half of itself with the first model."""

    number: int = Field(0, ge=0)


known = set(sys.modules)
started = time.process_time()
import openenv_notebook  # noqa: E402

seconds = time.process_time() - started
new = sorted({name.partition(".")[0] for name in set(sys.modules) - known})
assert openenv_notebook.__version__ and TypeAdapter and websockets.asyncio.client.connect
print(json.dumps({"seconds": seconds, "packages": new}))
