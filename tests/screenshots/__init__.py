"""The pictures of the README and of `assets/screenshots/paper.md`, made anew from campaigns on embedded networks.

`python -m tests.screenshots` runs what is not there yet, starts the app, and writes ``assets/screenshots``.
``campaigns`` -- what is run; ``shots`` -- which part of which page is taken; ``__main__`` -- the command.
"""
