"""The ``%openenv`` magics."""
