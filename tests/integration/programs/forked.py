"""A loader with four forked workers whose dataset holds a client, as PyTorch's loaders are.

argv: URL
"""

import json
import logging
import multiprocessing
import sys
from typing import Any

from openenv_notebook import SessionLost, connect

url = sys.argv[1]
# That a new session was opened is logged as a warning, which would come on stderr.
logging.getLogger("openenv_notebook").setLevel(logging.ERROR)


class Dataset:
    """Reads its items from an environment."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def __getitem__(self, index: int) -> list[Any]:
        said: list[Any] = [index]
        try:
            self.env.step(op="echo", value=index)
        except SessionLost as error:
            said.append(str(error))
        self.env.reset()
        said.append(self.env.step(op="echo", value=index).observation.value)
        return said


def work(dataset: Dataset, indices: list[int], items: Any) -> None:
    """Be a worker of the loader."""
    for index in indices:
        items.put(dataset[index])
    items.put(None)


fork = multiprocessing.get_context("fork")
with connect(url) as env:
    session = env.reset().observation.session
    dataset, items = Dataset(env), fork.SimpleQueue()
    env.step(op="echo")
    workers = [fork.Process(target=work, args=(dataset, [number, number + 4], items)) for number in range(4)]
    for worker in workers:
        worker.start()
    read, ended = [], 0
    while ended < 4:
        item = items.get()
        ended += item is None
        read += [] if item is None else [item]
    for worker in workers:
        worker.join(10)
    mine = env.step(op="echo", value="mine").observation
    codes = [worker.exitcode for worker in workers]
    print(json.dumps({"read": sorted(read), "codes": codes, "mine": [mine.value, mine.count, mine.session == session]}))
