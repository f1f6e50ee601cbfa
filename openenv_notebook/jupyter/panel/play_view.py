"""The run area: who plays, how many steps, how fast; the chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets

from openenv_notebook.jupyter.panel import chart, notebook, status_html
from openenv_notebook.jupyter.panel.chart import Point
from openenv_notebook.jupyter.panel.widgets import Handler, Put, Widgets
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.text import nearest

RANDOM = "random legal"
_QUEUES = (
    "this kernel hands clicks over between cells only: while a cell runs, Stop waits for it; ■ ends the cell first"
)
_SPEEDS = (("fast", 0.0), ("10/s", 10.0), ("5/s", 5.0), ("2/s", 2.0), ("1/s", 1.0))


class PlayView:
    """What a policy's run is started and stopped by; its policies come besides random legal actions.

    ``on_take_over`` is called with True when the person takes over, with False when it is handed back.
    """

    def __init__(
        self,
        put: Put,
        policies: Mapping[str, Any],
        on_play: Handler,
        on_stop: Handler,
        on_speed: Handler,
        on_take_over: Callable[[bool], object],
    ) -> None:
        self._put = put
        self._policies: dict[str, Any] = {RANDOM: "random", **policies}
        widgets = Widgets()
        self._who = widgets.choice("Policy", list(self._policies), "quiet")
        if policies:
            self._who.value = next(iter(policies))
        self._count = widgets.line(ipywidgets.Text, "×", on_play, "count", placeholder="all")
        self._speed = widgets.choice("Speed", _SPEEDS, "quiet")
        self._speed.observe(lambda _: on_speed(), "value")
        self._play = widgets.button("Play", "Let the policy act, until done or as many steps", on_play)
        self.stop_button = widgets.button("Stop", "Stop before the next step", on_stop, "danger")
        self._by_hand = widgets.toggle("I play", "Choose the actions yourself while it plays", on_take_over)
        shown = [self._who, self._count, self._speed, self._play, self.stop_button, self._by_hand]
        self._chart = widgets.html(chart.draw([]), "chart")
        self._remark = widgets.html("", "remark")
        self._queues = status_html.hint(_QUEUES) if notebook.queues_clicks() else ""
        areas = [widgets.heading("Run"), widgets.row(shown, "row", "run-row"), self._chart, self._remark]
        self.widget = widgets.column(areas, "area", "area-run")

    def add(self, name: str, policy: Any) -> None:
        """Offer a policy, and choose it."""
        self._policies[name] = policy
        options = list(self._policies)
        self._put(self._who, options=options, value=name)

    def named(self, name: str) -> Any:
        """Find a policy by its name; raises MisuseError where there is none."""
        if name == "random":
            return name
        if name not in self._policies:
            raise MisuseError(
                f"there is no policy named {name!r} in this panel{nearest(name, self._policies)}",
                hint=f"there are: {', '.join(self._policies)}",
            )
        return self._policies[name]

    @property
    def policy(self) -> Any:
        """The chosen policy."""
        return self._policies.get(self._who.value, "random")

    @property
    def speed(self) -> float | None:
        """Most steps a second; None for as fast as it goes."""
        return self._speed.value or None

    def steps(self) -> int | None:
        """How many steps are to be made, None until done; ValueError if what stands there is no number of steps."""
        text = str(self._count.value).strip()
        if not text:
            return None
        if not text.isdigit() or int(text) < 1:
            raise ValueError(f"{text!r} is no number of steps; leave it empty to play until done")
        return int(text)

    def refresh(
        self, points: Sequence[Point], marked: int | None, *, playing: bool, disabled: bool, by_hand: bool
    ) -> None:
        """Show what can be done, and the chart; ``marked`` is the place of the step that is looked at."""
        self._put(self._play, disabled=disabled or playing)
        self._put(self.stop_button, disabled=not playing)
        self._put(self._by_hand, value=by_hand)
        for made in (self._who, self._count):
            self._put(made, disabled=playing)
        self._put(self._chart, value=chart.draw(points, marked))
        # What this kernel cannot do.
        self._put(self._remark, value=self._queues if playing else "")
