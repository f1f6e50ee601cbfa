"""Whether what a person types and sends by Enter is what the server gets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from playwright.sync_api import Locator, expect

from support.hands import Hands
from support.panel_page import PanelPage

# The kernel of the notebook that is seen, in the application's own words.
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
# Which messages of widgets the kernel has not yet done, by the application's own signal; the page may have had others.
_WATCH = f"""() => {{
    const kernel = {KERNEL};
    if (window.underway?.kernel === kernel) return;
    const underway = window.underway = Object.assign(new Set(), {{ kernel }});
    kernel.anyMessage.connect((_, {{ msg, direction }}) => {{
        if (direction === 'send' && msg.header.msg_type === 'comm_msg') underway.add(msg.header.msg_id);
        if (direction === 'recv' && msg.header.msg_type === 'status' && msg.content.execution_state === 'idle')
            underway.delete(msg.parent_header.msg_id);
    }});
}}"""


@dataclass
class Outcome:
    """What became of the texts that were typed.

    Attributes:
        made: Each text, and the steps that the server made of it.
    """

    made: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """How many Enters made no step."""
        return sum(not steps for _, steps in self.made)

    @property
    def wrong(self) -> int:
        """How many Enters made a step that was not what stood there."""
        return sum(any(step != text for step in steps) for text, steps in self.made)

    @property
    def doubled(self) -> int:
        """How many Enters made more than one step."""
        return sum(len(steps) > 1 for _, steps in self.made)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wrong, lost and doubled."""
        return self.wrong, self.lost, self.doubled


def wrong_or_lost(
    panel: PanelPage, hands: Hands, box: Locator, texts: Iterable[str], *, unhurried: bool = False
) -> Outcome:
    """Type texts into a box of a panel on the lab, each with Enter behind it, and see what the server made of it.

    Args:
        panel: The panel; its notebook has a wire.
        hands: Whose hands.
        box: The box for ``op``, or the one for a move.
        texts: What to type; each another than what stands there.
        unhurried: Wait before Enter until the panel shows what was typed.
    """
    panel.page.evaluate(_WATCH)
    outcome = Outcome()
    for text in texts:
        before = len(_asked(panel))
        shown = f"env.step(op={text!r})"
        expect(panel.sends).not_to_have_text(shown)
        if unhurried:
            hands.type(box, text)
            expect(panel.sends).to_have_text(shown)
            hands.enter()
        else:
            hands.type(box, f"{text}\n")
        settle(panel)
        outcome.made.append((text, _asked(panel)[before:]))
    return outcome


def settle(panel: PanelPage) -> None:
    """Wait until all that was done to a panel has been carried out."""
    panel.page.wait_for_function("() => window.underway.size === 0")
    # Nothing can be overtaken: what is shown for two more clicks comes behind all that was done before.
    with panel.notebook.wire.undelayed():
        code = panel.root.locator(".openenv-code")
        for count in (1, 0):
            panel.button("Python").click()
            expect(code.filter(visible=True)).to_have_count(count)
        expect(panel.step).to_be_enabled()


def _asked(panel: PanelPage) -> list[str]:
    assert panel.server is not None
    return list(panel.server.get("/asked"))
