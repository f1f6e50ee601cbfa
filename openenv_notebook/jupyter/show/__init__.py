"""Values -> text and HTML. Pure: nothing here asks a server, a shell or a clock.

A value is described as blocks (``describe``, ``cards``), and blocks are written twice: as
text (``as_text``) and as HTML (``as_html``). A server's words are only ever cleaned and
escaped; no Markdown and no HTML of theirs is rendered.
"""
