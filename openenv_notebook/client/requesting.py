"""Between a client's public methods and its session: arguments become requests, replies become values."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, cast

from openenv_notebook.client.actions import OPTIONS
from openenv_notebook.client.calls import exchange_async
from openenv_notebook.client.learning import learn_for_step
from openenv_notebook.client.many import NOTHING_SENT, placed
from openenv_notebook.client.opener import Opener
from openenv_notebook.client.questions import Inspection
from openenv_notebook.client.tools import ToolCalls
from openenv_notebook.client.typed_client import TypedClient
from openenv_notebook.values.attribute_dict import AttributeDict
from openenv_notebook.values.caution import caution
from openenv_notebook.values.errors import ClientClosed, InvalidAction, MisuseError
from openenv_notebook.values.messages import ActT, ObsT, StateT, StepResult
from openenv_notebook.values.to_json import fields_of
from openenv_notebook.wire.discovery import TIMEOUT, Discovery
from openenv_notebook.wire.protocol import Batch, Request, frame


class Requesting(TypedClient[ActT, ObsT, StateT], Inspection, ToolCalls):
    """What both twins of a client need for a call; only their waiting differs."""

    _opener: Opener
    _timeout: float | None
    _is_timed: bool
    _actor: str
    _warned: set[Any]

    def _discovery(self) -> Discovery:
        endpoint = self._opener.endpoint
        if endpoint is None:
            raise MisuseError("the server has not been started yet", hint="connect() first")
        # A question has a short limit of its own, but where the call was given one.
        limit = self._timeout if self._is_timed else min(TIMEOUT, TIMEOUT if self._timeout is None else self._timeout)
        return Discovery(endpoint.address, endpoint.headers, limit)

    async def _learn_schema(self, within: float | None = None) -> bool:
        """Ask for the schema; not where a step can only be told that the session is over."""
        session = self._session
        self._refuse_closed()
        if session.lost is not None:
            raise copy.copy(session.lost)
        return await super()._learn_schema(within)

    async def _learn_for(self, actions: Iterable[Any], name: str, began: float) -> None:
        await learn_for_step(self, actions, name, self._timeout, began)

    def _refuse_closed(self) -> None:
        if self._session.is_closed:
            raise ClientClosed(url=self._session.url)

    def _reset_request(self, kwargs: Mapping[str, Any]) -> Request:
        meant = next((name for name in kwargs if name in OPTIONS), None)
        # Who has used options() knows where they stand.
        if meant is not None and not self._is_timed and "option" not in self._warned:
            self._warned.add("option")
            caution(f"{meant} goes to the environment; a limit for the reply is env.options(timeout=5).reset(...)")
        return Request("reset", frame("reset", fields_of(kwargs)), entry="reset", actor=self._actor)

    def _step_request(
        self, action: Any, fields: Mapping[str, Any], batch: Batch | None = None, name: str = "step"
    ) -> Request:
        self._refuse_closed()
        try:
            payload = self._codec.payload(self, action, fields, self._action_schema())
        except InvalidAction as error:
            error.url = error.url or self._session.url
            raise
        self._warn()
        return Request("step", frame("step", payload), entry="step", actor=self._actor, batch=batch, name=name)

    def _batch(self, actions: Iterable[Any], window: int) -> list[Request]:
        batch = Batch(max(1, window))
        with placed(NOTHING_SENT) as place:
            return [self._step_request(action, {}, batch, "step_many") for place.index, action in enumerate(actions)]

    def _results(self, requests: Iterable[Request]) -> list[StepResult[ObsT]]:
        with placed() as place:
            return [self._result(request) for place.index, request in enumerate(requests)]

    async def _ask(self, request: Request, began: float | None = None) -> Request:
        return await exchange_async(self._session, request, self._timeout, began=began)

    async def _raw_step(self, action: Mapping[str, Any], name: str, began: float) -> dict[str, Any]:
        request = Request("step", frame("step", dict(action)), entry="step", actor=self._actor, name=name)
        result = self._result(await self._ask(request, began))
        return AttributeDict(result.raw["observation"])

    def _result(self, request: Request) -> StepResult[ObsT]:
        """Read a result in the caller's thread; the record keeps it, read once."""
        self._session.decoded(request)
        result = request.step.result
        if result is None:
            error = request.step.error
            error.url = error.url or self._session.url
            raise error
        return cast(StepResult[ObsT], result)

    def _state(self, request: Request) -> StateT:
        assert request.reply is not None
        state = self._codec.state(self, request.reply)
        self._session.decoded(request)
        return cast(StateT, state)

    def _warn(self) -> None:
        """Warn of a step that is allowed and probably not meant, once."""
        session, last = self._session, self._session.record.last
        if last is None or not session.was_reset:
            if session.lost is None and not session.was_reset and "reset" not in self._warned:
                self._warned.add("reset")
                caution("a step before any reset(): most environments need one")
        elif last.decoded and last.done and session.record.episode.episode_id not in self._warned:
            self._warned.add(session.record.episode.episode_id)
            number = len(session.record.episodes)
            caution(f"episode {number} is over (done): reset() begins a new one")
