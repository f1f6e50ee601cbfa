"""Who plays the episode of a session: calls are kept in order, but two who reset each other's episodes are not."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from openenv_notebook.client.session import Session
from openenv_notebook.threads import strand
from openenv_notebook.threads.strand import Strand
from openenv_notebook.values.errors import MisuseError

_OWN_SESSION = "env.new_session() gives each an environment of its own"


@dataclass(eq=False)
class Turn:
    """The episode that a strand's reset begins; ``is_coming`` until that is answered."""

    strand: Strand
    is_coming: bool = True


class Players:
    """Whose the episode of a session is, from any thread.

    ``runs`` are the runs of policies under way, each with the strand that started it. Only the last two turns matter,
    and adding one is done in one go: of two at the same time at least one sees the other.
    """

    def __init__(self, session: Session) -> None:
        self.runs: dict[Strand, Strand] = {}
        self._session = session
        self._turns: deque[Turn] = deque(maxlen=2)

    def begin(self, actor: str) -> tuple[Turn, str]:
        """Begin a turn by a reset; gives it, and what to warn of ("" for nothing).

        Whoever belongs to no run under way is refused by MisuseError while there is one. A "person" who resets sees
        what there is, and is not warned.
        """
        me = strand.here()
        # Those of the parent are not in a forked child.
        runs = {run: starter for run, starter in dict(self.runs).items() if run.goes_on}
        if runs and me not in runs:
            run = next(iter(runs)).name
            raise MisuseError(
                f"{run} is under way on this session, and a reset() by {me.name} would end its episode",
                url=self._session.url,
                hint=f"its stop() ends it; {_OWN_SESSION}",
            )
        turn = Turn(me)
        self._turns.append(turn)
        # Who has made another to play, or lets a run play, knows of it.
        mine = (me, runs.get(me, me), strand.act(me))
        others = [
            other.strand.name
            for other in tuple(self._turns)
            if not any(other.strand.covers(each) for each in mine) and self._is_open(other)
        ]
        if not others or actor == "person":
            return turn, ""
        return turn, f"reset() by {me.name} in the middle of the episode that {others[-1]} plays: {_OWN_SESSION}"

    def leave(self, run: Strand) -> None:
        """Note that a run is over; its episode is nobody's."""
        self.runs.pop(run, None)
        for turn in tuple(self._turns):
            if turn.strand == run:
                self._turns.remove(turn)

    def _is_open(self, turn: Turn) -> bool:
        """Tell whether an episode is coming or in progress, and whoever began it may go on."""
        session, last = self._session, self._session.record.last
        in_progress = session.was_reset and session.lost is None and last is not None and not last.is_end
        return turn.strand.goes_on and (turn.is_coming or in_progress)
