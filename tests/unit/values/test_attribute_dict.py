"""Dicts whose keys can be read as attributes."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from openenv_notebook.values.attribute_dict import AttributeDict, attribute_dict


def test_a31_a_key_reads_as_an_attribute_too() -> None:
    """A31: result.observation.stdout and result.observation['stdout'] are the same."""
    seen = AttributeDict({"stdout": "hi", "board": [[0, 1]]})
    assert seen.stdout == seen["stdout"] == seen.get("stdout") == "hi"
    assert seen.board is seen["board"]


def test_a31_an_unknown_name_lists_the_keys() -> None:
    """A31: an attribute that is not there lists the keys and names the nearest."""
    seen = AttributeDict({"stdout": "hi", "exit_code": 0})
    with pytest.raises(AttributeError, match=r"no key 'stdot' here; keys: stdout, exit_code; did you mean 'stdout'\?"):
        seen.stdot
    with pytest.raises(KeyError, match=r"no key 'board' here; keys: stdout, exit_code"):
        seen["board"]
    with pytest.raises(AttributeError, match="keys: none"):
        AttributeDict().anything


def test_nested_objects_have_attributes_too() -> None:
    """Objects inside objects and inside lists of lists read the same way."""
    seen = AttributeDict({"a": {"b": {"c": 1}}, "rows": [{"x": 1}, [{"y": 2}], 3]})
    assert seen.a.b.c == 1
    assert seen.rows[0].x == 1
    assert seen.rows[1][0].y == 2
    assert seen.rows[2] == 3


def test_what_is_nested_can_be_changed_in_place() -> None:
    """What was read is what is kept: a change inside it is seen again."""
    seen = AttributeDict({"a": {"b": 1}, "rows": [{"x": 1}]})
    seen.a.b = 2
    seen.rows[0].x = 3
    seen.rows.append({"x": 4})
    assert seen == {"a": {"b": 2}, "rows": [{"x": 3}, {"x": 4}]}


def test_a_list_put_in_later_reads_the_same_way() -> None:
    """A list that replaces another has attributes in it as well."""
    seen = AttributeDict({"rows": [{"x": 1}]})
    assert seen.rows[0].x == 1
    seen["rows"] = [{"x": 2}]
    assert seen.rows[0].x == 2


def test_a_method_wins_over_a_key_of_its_name() -> None:
    """d.items is the method of a dict, d['items'] the value."""
    seen = AttributeDict({"items": [1], "copy": 2, "get": 3})
    assert seen["items"] == [1]
    assert list(seen.items()) == [("items", [1]), ("copy", 2), ("get", 3)]
    assert callable(seen.copy)
    assert seen.get("get") == 3


def test_attributes_are_written_as_keys() -> None:
    """Setting and deleting an attribute sets and deletes the key."""
    seen = AttributeDict()
    seen.board = [1]
    assert seen == {"board": [1]}
    del seen.board
    assert seen == {}
    with pytest.raises(AttributeError, match="no key 'board'"):
        del seen.board


def test_it_is_a_dict_in_every_way() -> None:
    """It equals, serialises and tests as the dict it is, and get never raises."""
    seen = AttributeDict({"a": {"b": 1}})
    assert isinstance(seen, dict)
    assert seen == {"a": {"b": 1}}
    assert json.dumps(seen) == '{"a": {"b": 1}}'
    assert seen.get("x") is None
    assert seen.get("x", 5) == 5
    assert repr(seen) == "{'a': {'b': 1}}"


def test_names_complete() -> None:
    """Completion offers the keys that can be attributes, and all keys between brackets."""
    seen = AttributeDict({"board": 1, "two words": 2})
    assert {"board", "items", "copy"} <= set(dir(seen))
    assert "two words" not in dir(seen)
    assert seen._ipython_key_completions_() == ["board", "two words"]


@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_it_travels_whole(travel: Any) -> None:
    """Copies and pickles are equal, of the same class, and read by attribute, wrapped or not."""
    for touched in (False, True):
        seen = AttributeDict({"a": {"b": 1}, "rows": [{"x": 1}]})
        if touched:
            assert seen.rows[0].x == seen.a.b
        other = travel(seen)
        assert type(other) is AttributeDict
        assert other == seen
        assert other.rows[0].x == other.a.b == 1


def test_a_copy_is_shallow_and_of_the_same_class() -> None:
    """copy() gives a dict of its own whose values are shared."""
    seen = AttributeDict({"a": [1]})
    other = seen.copy()
    other["b"] = 2
    assert type(other) is AttributeDict
    assert "b" not in seen
    assert other.a is seen.a


@pytest.mark.parametrize(
    "probe", ["_repr_html_", "_ipython_display_", "__array__", "_ipython_canary_method_x", "__len2__"]
)
def test_d16_probes_find_nothing(probe: str) -> None:
    """D16: what IPython and numpy look for is not taken for a key."""
    seen = AttributeDict({"a": 1})
    with pytest.raises(AttributeError):
        getattr(seen, probe)
    assert seen == {"a": 1}


def test_a_key_with_an_underscore_can_be_read() -> None:
    """A key that begins with an underscore is an attribute if it is there."""
    assert AttributeDict({"_id": 3})._id == 3


def test_a_long_list_of_numbers_is_left_alone() -> None:
    """A flat picture is handed out as it is, the same list each time."""
    pixels = list(range(100_000))
    seen = AttributeDict({"pixels": pixels})
    assert seen.pixels is pixels


def test_only_objects_get_attributes() -> None:
    """A decoded value that is no object stays itself."""
    assert type(attribute_dict({"a": 1})) is AttributeDict
    for value in (None, 3, "x", [1]):
        assert attribute_dict(value) is value
