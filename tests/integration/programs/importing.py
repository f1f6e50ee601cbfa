"""What importing the package brings in, and what it costs beside websockets and pydantic, whose cost is 1."""

import json
import sys
import time

began = time.process_time()
import websockets.asyncio.client  # noqa: E402
from pydantic import BaseModel, Field, TypeAdapter  # noqa: E402


class First(BaseModel):
    """pydantic loads half of itself with the first model."""

    number: int = Field(0, ge=0)


known = set(sys.modules)
started = time.process_time()
import openenv_notebook  # noqa: E402

cost = (time.process_time() - started) / (started - began)
new = sorted({name.partition(".")[0] for name in set(sys.modules) - known})
assert openenv_notebook.__version__ and TypeAdapter and websockets.asyncio.client.connect
print(json.dumps({"cost": cost, "packages": new}))
