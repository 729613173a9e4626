"""What somebody brings into the app: a network and data, checked before anything else reads them. Reading order:

``limits`` -- time, memory and size; ``drafts`` -- files that were dropped and not yet taken; ``told`` -- what a
network's file does not say, as somebody drops or types it; ``report`` -- what the check of a draft found; ``work`` --
the check itself, in a process of its own; ``adoption`` -- what was checked gets names, and is kept by
`registry.brought`.
"""
