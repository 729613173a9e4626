"""The app's pages, a room for each, which `shared.page_registry.PAGES` lists in the order of the menu.

``page`` is a room's entry, which reads from top to bottom, beside its own parts and the text of its help. What several
pages use is in `shared`: a page imports from there and from its own room, and from no other page. Files ``_NAME.py``
show the whole app where a server's first visit is to page NAME (see `shared.frame.whole_app`).
"""
