"""Names in a real kernel: a function's own first, in every verb and option that reads one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.kernels import Kernel, started

pytestmark = pytest.mark.kernel

SENT = "print([s.action['guess'] for s in env.episode if s.kind == 'step'])"

# What stands in a cell, and what is sent, while the notebook's own n is 10.
MEANT = {
    "a function": ("def play(n):\n    %openenv step $n\nfor g in (60, 70): play(g)", [60, 70]),
    "a pair": ("def play(n):\n    %openenv step guess=$n\nplay(60)", [60]),
    "a silenced line": ("def play(n):\n    %openenv step $n; # go\nplay(60)", [60]),
    "an assignment": ("def play(n):\n    r = %openenv step $n\n    return r\nplay(60);", [60]),
    "a loop in a function": ("def play():\n    for n in (60, 70):\n        %openenv step $n\nplay()", [60, 70]),
    "a function in a function": (
        "def outer(n):\n    def inner(n):\n        %openenv step $n\n    inner(n + 1)\nouter(60)",
        [61],
    ),
    "a name that is handed on": (
        "def outer(n):\n    def inner():\n        nonlocal n\n        %openenv step $n\n    inner()\nouter(60)",
        [60],
    ),
    "a class": ("class A:\n    n = 60\n    %openenv step $n", [60]),
    "a class in a function": ("def play(n):\n    class A:\n        %openenv step $n\nplay(60)", [60]),
    "a method": ("class A:\n    n = 1\n    def play(self, n):\n        %openenv step $n\nA().play(60)", [60]),
    "a method without": ("class A:\n    n = 1\n    def play(self):\n        %openenv step $n\nA().play()", [10]),
    "a comprehension": (
        "def play(n):\n    return [get_ipython().run_line_magic('openenv', 'step $n') for _ in '12']\nplay(60);",
        [60, 60],
    ),
    "its own name": ("[get_ipython().run_line_magic('openenv', 'step $n') for n in (60, 70)];", [60, 70]),
    "a lambda": ("(lambda n: get_ipython().run_line_magic('openenv', 'step $n'))(60);", [60]),
    "a body": ("def play(n):\n    get_ipython().run_cell_magic('openenv', 'step --json', 'guess=$n')\nplay(60)", [60]),
    "a body at the top": ("%%openenv step --json\nguess=$n", [10]),
    "an async function": ("async def play(n):\n    %openenv step $n\nawait play(60)", [60]),
    "a generator": ("def play(n):\n    r = %openenv step $n\n    yield r\nlist(play(60));", [60]),
    "a thread": (
        "import threading\ndef play(n):\n    %openenv step $n\nt = threading.Thread(target=play, args=(60,))\n"
        "t.start(); t.join()",
        [60],
    ),
    "a timed line": ("def play(n):\n    %time r = get_ipython().run_line_magic('openenv', 'step $n')\nplay(60)", [60]),
    "the notebook's": ("def play():\n    %openenv step $n\nplay()", [10]),
    "a global": ("def play():\n    global n\n    %openenv step $n\nplay()", [10]),
    "a loop": ("for n in (60, 70):\n    %openenv step $n\nn = 10", [60, 70]),
}
# What cannot be told is refused, and nothing is sent.
REFUSED = {
    "not handed on": (
        "def outer(n):\n    def inner():\n        %openenv step $n\n    inner()\nouter(60)",
        "begin inner() with nonlocal n",
    ),
    "not handed on, with an await": (
        "import asyncio\nawait asyncio.sleep(0)\n"
        "def outer(n):\n    def inner():\n        %openenv step $n\n    inner()\nouter(60)",
        "n belongs to outer()",
    ),
    "no value yet": ("def play():\n    %openenv step $n\n    n = 3\nplay()", "n has no value yet in play()"),
    "another client": ("def play(env):\n    %openenv step 5\nplay(other)", "env is play()'s own name"),
    "no client": ("def play(env):\n    %openenv step --on env 5\nplay(1)", "own name, an object of type int"),
    "bound by a function": ("def play(r=0):\n    %openenv reset --out r\nplay()", "r is play()'s own name"),
    "used by a function": ("def play(env):\n    %openenv use env\nplay(other)", "env is play()'s own name"),
    "connected as": ("def play(env):\n    %openenv demo guess\nplay(other)", "env is play()'s own name"),
}


@pytest.fixture(scope="module")
def guess() -> Iterator[Kernel]:
    """A kernel with two games of guessing, env the current one."""
    with started() as kernel:
        kernel.ok("%load_ext openenv_notebook\n%openenv demo guess --as other\n%openenv reset\nNone")
        kernel.ok("%openenv demo guess")
        yield kernel


@pytest.mark.parametrize("name", MEANT)
def test_a_function_s_own_names_come_first(guess: Kernel, name: str) -> None:
    """R10: ``$name`` means what Python would mean by it where the line stands, whatever else the notebook calls so."""
    code, sent = MEANT[name]
    guess.ok("n = 10\n%openenv reset high=1000\nNone")
    guess.ok(code)
    assert guess.ok(SENT).stdout == f"{sent}\n"


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_told_is_refused(guess: Kernel, name: str) -> None:
    """R10: Where a line cannot know what a function means, it says so and how to write it, and sends nothing."""
    code, said = REFUSED[name]
    guess.ok("n = 10\n%openenv reset high=1000\nNone")
    outputs = guess.run(code)
    assert outputs.status == "error"
    assert outputs.stderr.startswith("UsageError: ") and said in outputs.stderr
    assert guess.ok(SENT).stdout == "[]\n"
    assert guess.ok("print(len(other.episodes), other.status)").stdout == "1 open\n"


def test_options_read_a_function_s_own_names(guess: Kernel) -> None:
    """R10: --on, --with, --policy, close and serve mean a function's own objects, as $name does."""
    guess.ok("%openenv reset\nNone")
    guess.ok("def play(env):\n    %openenv reset --on env\n    %openenv step --on env 5\nplay(other);")
    assert guess.ok(SENT).stdout == "[]\n"
    assert guess.ok(SENT.replace("env", "other")).stdout == "[5]\n"
    shown = guess.ok(
        "def show():\n    def draw(seen): return 'drawn here'\n"
        "    x = %openenv render --with draw\n    return x\nshow()"
    )
    assert "drawn here" in (shown.result or "")
    guess.ok("%openenv render --with none\nNone")
    guess.ok("def show():\n    def agent(seen): pass\n    p = %openenv panel --policy agent\n    p.close()\nshow()")
    served = guess.run("Mine = 5\ndef up():\n    class Mine: pass\n    %openenv serve Mine --as served\nup()")
    assert served.error is not None and " int" not in served.error[1], served.error
    guess.ok("%openenv demo guess --as gone\n%openenv demo guess --as kept")
    guess.ok("def end(gone):\n    %openenv close gone\nend(kept)")
    assert guess.ok("print(gone.status, kept.status)").stdout == "open closed\n"
    guess.ok("gone.close()\n%openenv use env")
