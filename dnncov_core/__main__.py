"""``python -m dnncov_core`` is the command ``dnncov``."""

from dnncov_core.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
