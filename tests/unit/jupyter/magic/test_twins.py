"""The Python that does what a line did."""

from __future__ import annotations

import pytest

from openenv_notebook.jupyter.magic.python_twin import keywords, literal


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"user": "me", "api-key": "abc"}, "{'user': 'me', 'api-key': os.environ['API_KEY']}"),
        ({"logins": [{"password": "abc"}]}, "{'logins': [{'password': os.environ['PASSWORD']}]}"),
        ({"secrets": ["a", "b"]}, "{'secrets': os.environ['SECRETS']}"),
        ({"token": 5, "password": "", "column": 3}, "{'token': 5, 'password': '', 'column': 3}"),
        ((1, "a"), "(1, 'a')"),
        ("right", "'right'"),
    ],
)
def test_code_reads_secrets_from_the_environment(value: object, code: str) -> None:
    """A secret stands in no line of Python, however deep; everything else stands there as it is."""
    assert literal(value) == code


def test_arguments_are_written_as_python_takes_them() -> None:
    """Names that Python cannot write go into a ``**{…}``, secrets are read from the environment in both."""
    assert keywords({"seed": 7, "password": "abc"}) == "seed=7, password=os.environ['PASSWORD']"
    assert keywords({"class": 1, "my-token": "abc"}) == "**{'class': 1, 'my-token': os.environ['MY_TOKEN']}"
    assert keywords({}) == ""
