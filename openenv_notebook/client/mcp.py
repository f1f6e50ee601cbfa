"""The client for environments made of tools."""

from __future__ import annotations

from openenv_notebook.client.async_client import GenericEnvClient


class MCPToolClient(GenericEnvClient):
    """A client for MCP environments: list tools and call them.

    Every client can do that; this name is the one code for the official package uses.
    In "simulation" mode a call is a step and stands in the record with its reward; in
    "production" mode it goes beside the steps.
    """
