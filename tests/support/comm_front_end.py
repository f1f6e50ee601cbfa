"""A front end by protocol alone: it keeps the widgets that a real kernel tells of, and sends raw messages to them."""

from __future__ import annotations

import contextlib
import copy
import re
import time
from collections.abc import Callable
from queue import Empty
from typing import Any

from support.kernels import Kernel

_PATIENCE = 20.0
_TAGS = re.compile(r"<[^>]*>")


class CommFrontEnd:
    """What a front end knows and does; nothing is answered that a test does not send.

    Args:
        kernel: The kernel.
        has_subshell: Send what goes to widgets to a shell of its own, as JupyterLab does where the kernel has them.
        has_cells: Say which cell is run.

    Attributes:
        models: The state of each widget that is alive, by the name of its comm.
        said: All that the line at the bottom of a panel has said, the newest last.
    """

    def __init__(self, kernel: Kernel, *, has_subshell: bool = False, has_cells: bool = True) -> None:
        self._client, self._has_cells = kernel.client, has_cells
        self.models: dict[str, dict[str, Any]] = {}
        self.said: list[str] = []
        self._states: dict[str, list[str]] = {}
        self._errors: dict[str, str] = {}
        self._cells: set[str] = set()
        self._subshell = self._make_subshell() if has_subshell else None

    def _make_subshell(self) -> str:
        return str(self._control("create_subshell_request")["subshell_id"])

    def _control(self, kind: str) -> dict[str, Any]:
        message = self._client.session.msg(kind)
        self._client.control_channel.send(message)
        while (reply := self._client.get_control_msg(timeout=_PATIENCE))["parent_header"] != message["header"]:
            pass
        return dict(reply["content"])

    def arrive(self) -> None:
        """Let what was sent arrive, also where a cell runs."""
        self._control("kernel_info_request")

    # Cells

    def start(self, code: str, cell: str = "cell") -> str:
        """Run a cell and return its message when the kernel has begun."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        metadata = {"cellId": cell} if self._has_cells else {}
        message = self._client.session.msg("execute_request", content, metadata=metadata)
        self._client.shell_channel.send(message)
        sent = str(message["header"]["msg_id"])
        self._cells.add(sent)
        self.wait(lambda: sent in self._states, "the cell begins")
        return sent

    def finish(self, message: str) -> None:
        """Wait until the kernel has done with a message; a cell must not have failed."""
        self.wait(lambda: "idle" in self._states.get(message, ()), "the kernel has done with a message")
        # What arrives while ipykernel 7.0 to 7.3 reply may be lost, and all that comes after it: ipykernel#1554.
        while message in self._cells:
            self._cells.discard(self._client.get_shell_msg(timeout=_PATIENCE)["parent_header"].get("msg_id", ""))
        assert message not in self._errors, self._errors[message]

    def run(self, code: str, cell: str = "cell") -> None:
        """Run a cell that must not fail."""
        self.finish(self.start(code, cell))

    # Widgets

    def find(self, name: str, kind: str = "") -> str:
        """Find a widget by its description; the one that came last."""
        found = self._called(name, kind)
        assert found, f"no widget is called {name}"
        return found[-1]

    def has(self, name: str) -> bool:
        """Tell whether there is a widget of that description."""
        return bool(self._called(name))

    def _called(self, name: str, kind: str = "") -> list[str]:
        return [
            comm
            for comm, state in self.models.items()
            if state.get("description") == name and state.get("_model_name", "").startswith(kind)
        ]

    def click(self, comm: str) -> str:
        """Tell that a button was clicked."""
        return self.tell(comm, {"method": "custom", "content": {"event": "click"}})

    def submit(self, comm: str) -> str:
        """Tell that Enter was pressed in a box."""
        return self.tell(comm, {"method": "custom", "content": {"event": "submit"}})

    def edit(self, comm: str, value: Any) -> str:
        """Tell what stands in a box now."""
        return self.tell(comm, {"method": "update", "state": {"value": value}, "buffer_paths": []})

    def tell(self, comm: str, data: dict[str, Any]) -> str:
        """Send a message to a widget and return its id at once."""
        return self.send(self.message("comm_msg", {"comm_id": comm, "data": data}))

    def message(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        """Make a message for widgets, to be sent once or again."""
        made: dict[str, Any] = self._client.session.msg(kind, content)
        if self._subshell is not None:
            made["header"]["subshell_id"] = self._subshell
        return made

    def send(self, message: dict[str, Any]) -> str:
        """Send a message as it is."""
        self._client.shell_channel.send(copy.deepcopy(message))
        return str(message["header"]["msg_id"])

    # What the kernel says

    def wait(self, condition: Callable[[], Any], what: str) -> None:
        """Listen to the kernel until a condition holds."""
        end = time.monotonic() + _PATIENCE
        while not condition():
            assert time.monotonic() < end, f"not within {_PATIENCE:g} s: {what}"
            self.listen()

    def listen(self, seconds: float = 0.05) -> None:
        """Take in what the kernel says next, if it says anything so soon."""
        with contextlib.suppress(Empty):
            self._take(self._client.get_iopub_msg(timeout=seconds))

    def _take(self, message: dict[str, Any]) -> None:
        content = message["content"]
        match message["msg_type"]:
            case "status":
                parent = message["parent_header"].get("msg_id", "")
                self._states.setdefault(parent, []).append(content["execution_state"])
            case "error":
                self._errors[message["parent_header"].get("msg_id", "")] = "\n".join(content["traceback"])
            case "comm_open" if content["target_name"] == "jupyter.widget":
                self._learn(content["comm_id"], content["data"]["state"])
            case "comm_msg" if content["data"].get("method") in ("update", "echo_update"):
                self._learn(content["comm_id"], content["data"]["state"])
            case "comm_close":
                self.models.pop(content["comm_id"], None)

    def _learn(self, comm: str, state: dict[str, Any]) -> None:
        model = self.models.setdefault(comm, {})
        model.update(state)
        if "openenv-said" in model.get("_dom_classes", ()) and "value" in state:
            self.said.append(_TAGS.sub("", state["value"]))
