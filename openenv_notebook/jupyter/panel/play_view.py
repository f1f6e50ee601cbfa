"""The run area: who plays, how many steps, how fast; the chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openenv_notebook.jupyter.panel import chart, widgets
from openenv_notebook.jupyter.panel.chart import Point
from openenv_notebook.values.errors import MisuseError
from openenv_notebook.values.text import nearest

RANDOM = "random legal"
_SPEEDS = (("fast", 0.0), ("10/s", 10.0), ("5/s", 5.0), ("2/s", 2.0), ("1/s", 1.0))


class PlayView:
    """What a policy's run is started and stopped by.

    Args:
        put: Hands values of traits to the publisher.
        policies: Policies by name, besides random legal actions.
        on_play: Called when the person wants it to play.
        on_stop: Called when the person wants it to stop.
        on_speed: Called when another speed was chosen.
        on_hand: Called with True when the person takes over, with False when it is handed back.
    """

    def __init__(
        self,
        put: Callable[..., None],
        policies: Mapping[str, Any],
        on_play: Callable[[], object],
        on_stop: Callable[[], object],
        on_speed: Callable[[], object],
        on_hand: Callable[[bool], object],
    ) -> None:
        self._put = put
        self._policies: dict[str, Any] = {RANDOM: "random", **policies}
        self._who = widgets.choice("Policy", list(self._policies), None, "quiet")
        if policies:
            self._who.value = next(iter(policies))
        self._count = widgets.text_box("×", "all", on_play, "count")
        self._speed = widgets.choice("Speed", _SPEEDS, on_speed, "quiet")
        self._play = widgets.button("Play", "Let the policy act, until done or as many steps", on_play)
        self.stop_button = widgets.button("Stop", "Stop before the next step", on_stop, "danger")
        self._hand = widgets.toggle("I play", "Choose the actions yourself while it plays", on_hand)
        row = widgets.row(
            self._who, self._count, self._speed, self._play, self.stop_button, self._hand, names=["run-row"]
        )  # fmt: skip
        self._chart = widgets.html(chart.draw([]), "chart")
        self._remark = widgets.html("", "remark")
        self.widget = widgets.column(widgets.heading("Run"), row, self._chart, self._remark, names=["area", "area-run"])

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
        """How many steps are to be made; None until done.

        Raises:
            ValueError: If what stands there is no number of steps.
        """
        text = str(self._count.value).strip()
        if not text:
            return None
        if not text.isdigit() or int(text) < 1:
            raise ValueError(f"{text!r} is no number of steps; leave it empty to play until done")
        return int(text)

    def refresh(
        self, points: Sequence[Point], marked: int | None, *, playing: bool, disabled: bool, hand: bool, remark: str
    ) -> None:
        """Show what can be done, and the chart.

        Args:
            points: The steps, the oldest first.
            marked: The place of the step that is looked at.
            playing: True while a policy plays.
            disabled: True while nothing can be started.
            hand: True while the person plays for it.
            remark: What this kernel cannot do, "" where it can.
        """
        self._put(self._play, disabled=disabled or playing)
        self._put(self.stop_button, disabled=not playing)
        self._put(self._hand, value=hand)
        for made in (self._who, self._count):
            self._put(made, disabled=playing)
        self._put(self._chart, value=chart.draw(points, marked))
        self._put(self._remark, value=remark)
