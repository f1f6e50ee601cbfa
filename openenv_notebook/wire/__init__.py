"""Between this process and a server: frames, one connection, questions over HTTP."""
