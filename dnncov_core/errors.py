"""The errors that this package raises on bad input.

    DnncovError
    ├── NetworkError       a module that cannot be exported, an operator, a shape or a class count
    ├── DataError          images, labels or the file that holds them
    ├── SpecificationError an unknown name or a parameter outside its range
    │   └── ParameterError a campaign's parameter, which the command and the app each call by their own name
    ├── CampaignError      a campaign file that is damaged, full, busy or of another network
    └── NumericsError      a NaN or an infinite value inside a network

Each message is one line that says what was expected, what came, and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 4000
"""Letters at most of each part of a message."""
LONGEST_REASON = 300
"""Letters at most of the reason within a part."""


class DnncovError(Exception):
    """Base of all errors that a user can cause and mend.

    Args:
        expected: what would have been right.
        got: what came instead.
        fix: what to do, as an imperative.
    """

    def __init__(self, expected: str, got: str, fix: str) -> None:
        self._parts: tuple[str, ...] = tuple(map(_one_line, (expected, got, fix)))
        super().__init__("expected {}; got {}; {}".format(*self._parts))

    @property
    def got(self) -> str:
        """What came instead, for an error about the thing that it is part of."""
        return self._parts[-2]

    @property
    def in_brief(self) -> str:
        """What came, and what it should have been, for a longer message.

        >>> DataError("labels from 0", "-3", "correct them").in_brief
        '-3 instead of labels from 0'
        """
        return f"{self.got} instead of {self._parts[-3]}"

    def __reduce__(self) -> tuple[type[DnncovError], tuple[str, ...]]:
        """Pickles the three parts, so that another process receives the same error."""
        return type(self), self._parts


def _one_line(text: str) -> str:
    """Text in which whatever a terminal would act on, such as a new line in a file's name, stands as a blank or a code.

    The end of a very long text is left out.

    >>> _one_line("two\\nlines, \\x1b[31mred")
    'two lines, \\\\x1b[31mred'
    """
    text = re.sub(r"\s", " ", text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class NetworkError(DnncovError):
    """A module that cannot become a canonical network."""


class DataError(DnncovError):
    """Images or labels that cannot be used."""


class SpecificationError(DnncovError):
    """An unknown name, or a parameter outside its range."""


class ParameterError(SpecificationError):
    """A campaign's parameter that cannot have this value.

    Args:
        name: the parameter's name in the specification.
        must: what it has to be, continuing "must be".
        got: what it is.
        fix: what to do, as an imperative; empty where it is to change the value.
    """

    def __init__(self, name: str, must: str, got: str, fix: str = "") -> None:
        super().__init__(must, got, fix)
        self.name = name
        self._parts = (name, *self._parts)

    def __str__(self) -> str:
        return self.said_of(self.name)

    @property
    def in_brief(self) -> str:
        return f"{self.name}: {super().in_brief}"

    def said_of(self, subject: str) -> str:
        """The message with ``subject`` for the parameter's name: an option, say.

        >>> ParameterError("pairs", "at least 1", "0").said_of("--pairs")
        '--pairs must be at least 1; got 0; change it'
        """
        _, must, got, fix = self._parts
        return f"{subject} must be {must}; got {got}; {fix or 'change it'}"

    def beside(self, label: str) -> str:
        """A sentence for the form, where the value stands beside it.

        >>> ParameterError("pairs", "at least 1", "0").beside("Sample size")
        'Sample size must be at least 1.'
        """
        _, must, _, fix = self._parts
        return f"{self.said_of(label) if fix else f'{label} must be {must}'}."


class CampaignError(DnncovError):
    """A campaign file that cannot be read, written or continued."""


class NumericsError(DnncovError):
    """A NaN or an infinite value where a number is needed."""


def reason_of(error: Exception) -> str:
    """Why something from outside is refused, for a longer message; shortened, since it may quote a file.

    >>> reason_of(ValueError("-3 instead of a number from 0"))
    '-3 instead of a number from 0'
    """
    return (error.in_brief if isinstance(error, DnncovError) else str(error))[:LONGEST_REASON]


WHERE_TOLD = "in Network(...), in FILE.toml beside its file, or on the page Bring under “What the file does not say”"
"""Where somebody says what a network's file does not say."""


def give_network(what: str) -> str:
    """What to do where a network's file does not say something, with each place where it can be said.

    >>> give_network("bounds")[:31]
    'give the network bounds, in Net'
    """
    return f"give the network {what}, {WHERE_TOLD}"


def unwritable(error: OSError) -> DataError:
    """The error for a folder of the user in which nothing can be changed."""
    fix = "free some space, or correct its permissions"
    return DataError("a folder that can be written", str(error.strerror), fix)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> SpecificationError:
    """The error for a name that no registry has, with the names that exist."""
    article = "an" if kind[0] in "aeiou" else "a"
    return SpecificationError(f"{article} {kind}, one of {', '.join(known)}", repr(name), "choose one of these names")
