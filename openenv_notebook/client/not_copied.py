"""What clients refuse: there is one session, and it belongs to this process."""

from __future__ import annotations

from typing import NoReturn

from openenv_notebook.values.errors import MisuseError


class NotCopied:
    """Can be neither copied nor pickled, and says what to do instead."""

    def __copy__(self) -> NoReturn:
        hint = "new_session() opens another session on the same server"
        raise MisuseError("a client cannot be copied: there is one session", hint=hint)

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        hint = "make a client where it is used: send the address, and connect(address) there"
        raise MisuseError("a client cannot be pickled: its session belongs to this process", hint=hint)
