"""What a client is, whichever way it waits: one session and all that belongs to it.

Both twins hold a :class:`Conversation`. Its calls are bodies for :mod:`~openenv_notebook.client.waiting`:
arguments become requests, requests are waited for, replies become values.
"""

from __future__ import annotations

import contextlib
import copy
import time
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from openenv_notebook.client.actions import OPTIONS, is_bare, listed, with_suggestions
from openenv_notebook.client.codec import Codec
from openenv_notebook.client.dropped import end_with
from openenv_notebook.client.known import Known
from openenv_notebook.client.opener import Opener
from openenv_notebook.client.placed import NOTHING_SENT, placed
from openenv_notebook.client.players import Players
from openenv_notebook.client.questions import Questions
from openenv_notebook.client.session import Session
from openenv_notebook.client.waiting import Apart, Asked, Body, Together, raised, seconds_left
from openenv_notebook.record.recorder import Record
from openenv_notebook.record.step import Step
from openenv_notebook.schema.shapes import Shape
from openenv_notebook.values.caution import caution
from openenv_notebook.values.checks import check_seconds
from openenv_notebook.values.errors import ClientClosed, ConnectTimeout, InvalidAction, ReplyTimeout
from openenv_notebook.values.messages import StepResult
from openenv_notebook.values.to_json import fields_of
from openenv_notebook.wire.http import TIMEOUT
from openenv_notebook.wire.protocol import STATE_FRAME, Batch, Request, frame

CLOSE_WITHIN = 2.0
_NO_SCHEMA = (
    "a bare value needs the server's schema, which did not come; name the field: env.step(field=value), or try again"
)


class Options(NamedTuple):
    """How the calls of a client, or of a view of it, are made.

    ``timeout`` is in seconds for a reply (None for no limit), ``is_timed`` True where it was set for these calls
    alone; ``actor`` is who acts, for the record: "code", "person" or "policy".
    """

    timeout: float | None = 60.0
    is_timed: bool = False
    actor: str = "code"


class Conversation:
    """One session of one client, and what is known, meant and warned of there.

    The client's class decides how actions and replies are read, as ``codec`` says; the client is not kept alive by
    this. ``options`` are those of its own calls, ``mode`` is "simulation" or "production", and what is known is shared
    by clients of the same server.
    """

    def __init__(
        self, client: Any, codec: Codec, opener: Opener, options: Options, mode: str, known: Known | None = None
    ) -> None:
        self.codec, self.opener, self.options, self.mode = codec, opener, options, mode
        self.known = known if known is not None else Known()
        url = opener.endpoint.address.name if opener.endpoint is not None else ""
        secrets = self.known.secrets
        opener.hide_by(secrets)
        record = Record(url, secrets=secrets, per_object=codec.per_object)
        self.session = Session(url, opener, codec.reader(client, secrets), record)
        self.players = Players(self.session)
        self.children: weakref.WeakSet[Any] = weakref.WeakSet()
        # By the identity of a client or a view; a blocking twin keeps its own alive, and so the number its own.
        self.twins: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._views: dict[int, tuple[Options, Any]] = {}
        self._client = weakref.ref(client)
        self._warned: set[Any] = set()
        end_with(self, self.session, opener.provider)

    def again(self, client: Any) -> Conversation:
        """Make the conversation of another client on the same server, with this one's own settings."""
        self.refuse_closed()
        made = Conversation(client, self.codec, self.opener.again(), self.options, self.mode, self.known)
        self.children.add(client)
        return made

    def options_of(self, client: Any) -> Options:
        """How the calls of the client, or of a view of it, are made."""
        view = self._views.get(id(client))
        return self.options if view is None else view[0]

    def add_view(self, view: Any, options: Options, client: Any) -> None:
        """Note a view with options of its own; it keeps the client alive, of which hooks are asked."""
        self._views[id(view)] = options, client
        weakref.finalize(view, self._views.pop, id(view), None).atexit = False

    def questions(self, options: Options) -> Questions:
        """The questions over HTTP: each has a short limit of its own, but where the call was given one."""
        limit = options.timeout
        if not options.is_timed:
            limit = TIMEOUT if limit is None else min(limit, TIMEOUT)
        return Questions(self.opener.endpoint, self.known, limit)

    # Bodies of calls

    def connect(self, options: Options) -> Body[None]:
        """Open the session and prove it."""
        request = Request("connect", b"", self.session)
        try:
            yield Apart(request, self.session.take, options.timeout if options.is_timed else None)
        except ReplyTimeout as error:
            phase = self.session.activity or "no session yet"
            raise ConnectTimeout(error.seconds, phase, url=error.url) from None
        self.reply(request)

    def reset(self, options: Options, arguments: Mapping[str, Any]) -> Body[StepResult[Any]]:
        """Begin an episode."""
        meant = next((name for name in arguments if name in OPTIONS), None)
        # Who has used options() knows where they stand.
        if meant is not None and not options.is_timed and "option" not in self._warned:
            self._warned.add("option")
            caution(f"{meant} goes to the environment; a limit for the reply is env.options(timeout=5).reset(...)")
        sent = frame("reset", fields_of(arguments))
        request = Request("reset", sent, self.session, entry="reset", actor=options.actor)
        turn, warning = self.players.begin(options.actor)
        try:
            if warning and "players" not in self._warned:
                self._warned.add("players")
                caution(warning)
            yield request
        finally:
            turn.is_coming = False
        return self.result(request)

    def step(self, options: Options, action: Any, fields: Mapping[str, Any]) -> Body[StepResult[Any]]:
        """Act in the environment."""
        began = time.monotonic()
        known = self.known
        if known.schema is None and not known.schema_refused and self.codec.needs_schema(action, fields):
            yield from self.learn_for([action], "step", options.timeout, began)
        request = self.step_request(options, action, fields)
        yield request
        try:
            return self.result(request)
        except InvalidAction as error:
            if "extra_forbidden" in str(error.details):
                yield from self.learn(seconds_left(options.timeout, began), "step")
            raise with_suggestions(error, self.known.action or self.action_schema) from None

    def state(self) -> Body[Any]:
        """Read the environment's state."""
        request = Request("state", STATE_FRAME, self.session)
        yield request
        reply = self.reply(request)
        return self.codec.state(self._client(), reply)

    def step_many(self, options: Options, actions: Iterable[Any], window: int) -> Body[list[StepResult[Any]]]:
        """Make several steps without waiting for each reply."""
        given, began = listed(actions, "step_many", "actions"), time.monotonic()
        if not self.known.has_schema_answer and any(self.codec.needs_schema(action, {}) for action in given):
            yield from self.learn_for(given, "step_many", options.timeout, began)
        batch = Batch(max(1, window))
        with placed(NOTHING_SENT) as place:
            requests = [
                self.step_request(options, action, {}, batch, "step_many") for place.index, action in enumerate(given)
            ]
        if not requests:
            return []
        yield Together(requests)
        return results_of([(self, request) for request in requests])

    def settle(self, timeout: float | None) -> Body[list[Step]]:
        """Wait for all owed replies."""
        check_seconds(timeout=timeout)
        if not self.session.lease.is_live:
            return self.session.unclaimed.take()
        request = Request("settle", b"", self.session)
        yield Apart(request, self.session.settle, timeout)
        return list(request.step or ())

    def disconnect(self) -> Body[None]:
        """Give the session up."""
        if self.session.lease.is_live and not self.session.is_closed:
            yield Apart(Request("disconnect", b"", self.session), self.session.detach, CLOSE_WITHIN)

    def close(self, within: float) -> Body[None]:
        """Say goodbye; who is busy is not waited for longer."""
        if self.session.lease.is_live:
            with contextlib.suppress(ReplyTimeout):
                yield Apart(Request("close", b"", self.session), self.session.close, within)

    def learn(self, within: float | None = None, name: str = "schema", *, is_shared: bool = True) -> Body[None]:
        """Ask for the schema if it was not told before, for the call ``name``; a server without one is fine.

        ``within`` seconds at most, and of the patience that all calls share unless a call was given its own time. Not
        where a step can only be told that the session is over.
        """
        if self.known.has_schema_answer:
            return
        self.refuse_closed()
        if self.session.lost is not None:
            raise copy.copy(self.session.lost)
        # A call's own limit is for its own wait; others may be waiting for the same answer.
        ask = Questions(self.opener.endpoint, self.known, TIMEOUT).ask_schema
        yield Asked(self.session.lease, lambda: self.known.learn(ask, within, is_shared=is_shared), name)

    def learn_for(self, actions: Iterable[Any], name: str, timeout: float | None, began: float) -> Body[None]:
        """Ask for the schema that a step needs, or could use, as a part of the step's own time.

        The whole call (``name``, for error texts) may take ``timeout`` seconds since it ``began`` (monotonic); None for
        no limit. A bare action cannot be understood without a schema: TransportError is raised if that did not come,
        not where the server says that it has none.
        """
        known, left = self.known, seconds_left(timeout, began)
        if any(is_bare(action) for action in actions):
            asked = time.monotonic()
            yield from self.learn(left, name)
            if not known.has_schema_answer:
                self._raise_unknown(name, round(time.monotonic() - asked, 1))
        elif known.schema_failure is None:
            # The larger part of the time is the step's own: fields travel without a schema.
            yield from self.learn(None if left is None else left / 2, name)
        elif not known.failed_lately:
            # What failed is not waited for again: it is asked for while the steps go on.
            yield from self.learn(0.0, name)

    def _raise_unknown(self, name: str, seconds: float) -> NoReturn:
        failure = self.known.schema_failure
        if self.known.asking is not None or failure is None or isinstance(failure, ReplyTimeout):
            raise ReplyTimeout(name, seconds, sent=False, url=self.session.url, hint=_NO_SCHEMA)
        error = copy.copy(failure)
        error.hint = _NO_SCHEMA
        raise error

    # Requests and what came of them

    @property
    def action_schema(self) -> Shape | None:
        """What an action may look like: the class's own, else the server's, None where none is known."""
        own = self.codec.action_schema
        return own if own is not None else self.known.action

    def refuse_closed(self) -> None:
        """Raise where the client was closed."""
        if self.session.is_closed:
            raise ClientClosed(url=self.session.url)

    def step_request(
        self, options: Options, action: Any, fields: Mapping[str, Any], batch: Batch | None = None, name: str = "step"
    ) -> Request:
        """Make the request of a step; raises for what cannot be sent, and warns of what was probably not meant."""
        if (session := self.session).is_closed:
            self.refuse_closed()
        try:
            known = self.known
            payload = self.codec.payload(self._client(), action, fields, known.action, known.tools)
        except InvalidAction as error:
            error.url = error.url or session.url
            self.known.secrets.hide_in(error)
            raise
        last = session.record.last
        if last is None or last.is_end or not session.was_reset:
            self._warn(last)
        sent = frame("step", payload)
        return Request("step", sent, session, entry="step", actor=options.actor, batch=batch, name=name)

    def reply(self, request: Request) -> bytes:
        """Return the reply of an answered request; raises what came instead."""
        if request.error is not None:
            raise raised(request.error, request.cause)
        self.session.decoded(request)
        return request.reply or b""

    def result(self, request: Request) -> StepResult[Any]:
        """Read a result in the caller's thread; the record keeps it, read once."""
        if request.error is not None:
            raise raised(request.error, request.cause)
        if request.held_by is not None:
            self.session.decoded(request)
        result: StepResult[Any] | None = request.step.result
        if request.step.folded and (result is None or result.observation is None):
            result = self.session.read(request.reply or b"")  # the record's bound is for what is over
        if result is None:
            error = request.step.error
            error.url = error.url or self.session.url
            raise error
        return result

    def _warn(self, last: Step | None) -> None:
        """Warn of a step that is allowed and probably not meant, once."""
        session = self.session
        if last is None or not session.was_reset:
            if session.lost is None and not session.was_reset and "reset" not in self._warned:
                self._warned.add("reset")
                caution("a step before any reset(): most environments need one; call reset() first")
        elif session.record.episode.episode_id not in self._warned:
            self._warned.add(session.record.episode.episode_id)
            number = len(session.record.episodes)
            caution(f"episode {number} is over (done): reset() begins a new one")


def step_all(clients: list[Any], actions: list[Any], timeout: float | None) -> Body[list[Any]]:
    """Step many clients in one hop; as the public function of that name."""
    began, pairs = time.monotonic(), []
    with placed(NOTHING_SENT) as place:
        for place.index, client in enumerate(clients):
            talk, options, action = conversation_of(client), options_of(client), actions[place.index]
            if not talk.known.has_schema_answer and talk.codec.needs_schema(action, {}):
                yield from talk.learn_for([action], "step_all", timeout, began)
            pairs.append((talk, talk.step_request(options, action, {}, name="step_all")))
    if not pairs:
        return []
    yield Together([request for _, request in pairs])
    return results_of(pairs)


def results_of(pairs: list[tuple[Conversation, Request]]) -> list[StepResult[Any]]:
    """Read the results of many requests; raises the first failure, saying which it was."""
    with placed() as place:
        for place.index, (talk, request) in enumerate(pairs):
            if request.error is not None:
                for other, each in pairs:
                    other.session.decoded(each)  # nobody will read the others from here
                talk.result(request)
        return [talk.result(request) for place.index, (talk, request) in enumerate(pairs)]


def conversation_of(client: Any) -> Conversation:
    """Give the conversation that a client of ours holds, of whichever kind: for what is built on clients."""
    return client._openenv_talk


def hold_conversation(client: Any, talk: Conversation) -> None:
    """Have a client of ours, which was not used yet, hold this conversation."""
    # The one attribute: a subclass may call its own what it likes.
    client._openenv_talk = talk


def options_of(client: Any) -> Options:
    """Give how the calls of a client of ours are made, of whichever kind."""
    return client._openenv_options
