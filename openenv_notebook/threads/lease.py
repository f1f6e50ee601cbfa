"""A hold on the portal that renews itself: taken when first needed, and anew after its thread has died."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from openenv_notebook.threads import portal as portals
from openenv_notebook.threads.portal import Portal


class Tenant(portals.Guest, Protocol):
    """What holds the portal by a :class:`Lease`."""

    def before_lease(self, anew: bool) -> None:
        """Prepare for a portal, or raise; ``anew`` is True where the one before has died."""


class Lease:
    """One tenant's hold on the portal, from any thread; the tenant lives on its loop, and is not kept alive by this.

    ``held`` is the portal it has now, be it dead; None while it has none.
    """

    __slots__ = ("_guard", "_tenant", "held")

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = weakref.ref(tenant)
        self._guard = threading.Lock()
        self.held: Portal | None = None

    @property
    def portal(self) -> Portal:
        """The portal, taken where there is none yet, or no more."""
        portal = self.held
        if portal is not None and portal.alive:
            return portal
        with self._guard:
            if self.held is None or not self.held.alive:
                tenant = self._tenant()
                assert tenant is not None
                tenant.before_lease(self.held is not None)
                self.held = portals.lease(tenant)
            return self.held

    @property
    def is_live(self) -> bool:
        """True while a portal is held and runs: when there may be something to end."""
        return self.held is not None and self.held.alive

    def post(self, callback: Callable[..., object], *args: Any) -> bool:
        """Run a callback on the loop's thread soon; False where no portal is held, or its loop is gone."""
        portal = self.held
        return portal is not None and portal.post(callback, *args)

    def end(self, *, join: bool, within: float = portals.JOIN_WITHIN) -> None:
        """Give the portal back; an interrupted call may have taken it unseen.

        ``join`` waits for the thread's end, ``within`` seconds at most, where this was its last tenant.
        """
        with self._guard:
            self.held = None
        tenant = self._tenant()
        if tenant is not None:
            portals.give_back(tenant, join=join, within=within)

    def orphan(self) -> None:
        """Leave the parent's portal alone, in a forked child."""
        self._guard = threading.Lock()
        self.held = None
