"""Sign patterns of a suite's inputs in one layer: which are equal, and which differ in exactly one neuron.

Nothing here compares inputs two by two. Patterns are packed into words of 64 bits; a pattern's hash is the sum of its
words, each times a random odd number, so that leaving one word out is a subtraction. Patterns that differ in one bit
agree in all other words, and within that word in all other bits: they meet when sorted by what is left. All that meets
is compared bit by bit, so that no wrong pair is reported; that equal hashes of different patterns hide one has a
probability of about inputs^2 / 2^64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dnncov_core.types import BoolArray, IntArray

BITS = 64
Words = NDArray[np.uint64]


def packed(signs: BoolArray) -> Words:
    """``(inputs, s_k)`` of bool as ``(inputs, ceil(s_k / 64))``; neuron i is bit i % 64 of word i // 64."""
    octets = np.packbits(signs, axis=1, bitorder="little")
    padded = np.pad(octets, ((0, 0), (0, -octets.shape[1] % 8)))
    return np.ascontiguousarray(padded).view("<u8").astype(np.uint64, copy=False)


@dataclass(frozen=True)
class OneApart:
    """Pairs of classes whose patterns differ in exactly one neuron, each pair once; arrays of one length.

    Attributes:
        first: number of a class, in which the neuron has the sign -1.
        second: number of the class in which it has the sign +1.
        neuron: 0-based number of the neuron.
    """

    first: IntArray
    second: IntArray
    neuron: IntArray

    def __len__(self) -> int:
        return len(self.neuron)


@dataclass(frozen=True)
class Classes:
    """The inputs of a suite by their pattern in one layer.

    Attributes:
        patterns: the different patterns, ``(classes, words)``.
        of: the class of each input, ``(inputs,)``.
    """

    patterns: Words
    of: IntArray

    @classmethod
    def by(cls, words: Words) -> Classes:
        """The classes of inputs with these packed patterns."""
        for factors in _factors(words.shape[1]):
            _, first, of = np.unique(words @ factors, return_index=True, return_inverse=True)
            patterns = words[first]
            if (patterns[of] == words).all():
                return cls(patterns, of.astype(np.int64))
        raise AssertionError("random factors cannot fail for ever")

    def __len__(self) -> int:
        return len(self.patterns)

    @cached_property
    def sizes(self) -> IntArray:
        """Inputs of each class, ``(classes,)``."""
        return np.bincount(self.of, minlength=len(self)).astype(np.int64)

    @cached_property
    def one_apart(self) -> OneApart:
        """The pairs of classes that differ in exactly one neuron."""
        factors = next(_factors(self.patterns.shape[1]))
        whole = self.patterns @ factors
        found = [
            self._apart_in(word, rows, whole[rows] - self.patterns[rows, word] * factors[word])
            for word, rows in self._near(factors, whole)
        ]
        none = np.empty(0, np.int64)
        return OneApart(*(np.concatenate([none, *(part[i] for part in found)]).astype(np.int64) for i in range(3)))

    def _near(self, factors: Words, whole: Words) -> Iterator[tuple[int, IntArray]]:
        """Words in which patterns may differ that agree in all others, and the rows of these patterns, both ascending.

        The words are halved again and again, and only those rows are looked at further that agree with others outside.
        """
        halves = [(0, len(factors), np.arange(len(self)))]
        while halves:
            start, end, rows = halves.pop()
            if end - start < len(factors):
                rows = rows[_together(whole[rows] - self.patterns[rows, start:end] @ factors[start:end])]
            if rows.size and end - start > 1:
                middle = (start + end) // 2
                halves += [(middle, end, rows), (start, middle, rows)]
            elif rows.size:
                yield start, rows

    def _apart_in(self, word: int, rows: IntArray, others: Words) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs of rows that differ in one bit of a word; ``others`` is the hash of all other words."""
        none = np.empty(0, np.int64)
        parts = [(none, none, none)]
        bits = self.patterns[rows, word]
        varied = np.bitwise_or.reduce(bits) & ~np.bitwise_and.reduce(bits)
        for bit in range(BITS):
            mask = np.uint64(1) << np.uint64(bit)
            if varied & mask:
                low, high = self._meeting(rows, others + (bits & ~mask) * MIX, word, mask)
                parts.append((low, high, np.full(len(low), word * BITS + bit, np.int64)))
        first, second, neuron = (np.concatenate(column) for column in zip(*parts, strict=True))
        return first, second, neuron

    def _meeting(self, rows: IntArray, keys: Words, word: int, mask: np.uint64) -> tuple[IntArray, IntArray]:
        """Pairs of rows that lie side by side when sorted by their keys, and differ in the masked bit alone."""
        order = np.lexsort((self.patterns[rows, word] & mask, keys))
        same = keys[order][1:] == keys[order][:-1]
        low, high = rows[order[:-1][same]], rows[order[1:][same]]
        difference = self.patterns[low] ^ self.patterns[high]
        alone = difference[:, word] == mask
        difference[:, word] = 0
        alone &= ~difference.any(axis=1)
        return low[alone], high[alone]


MIX = np.uint64(0x9E3779B97F4A7C15)


def _factors(words: int) -> Iterator[Words]:
    """Random odd numbers, ``(words,)``, again and again."""
    rng = np.random.default_rng(0)
    while True:
        yield rng.integers(0, 2**63, words, np.uint64) * np.uint64(2) + np.uint64(1)


def _together(keys: Words) -> IntArray:
    """The places, ascending, whose key others have too."""
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    shared = np.zeros(len(keys), bool)
    shared[order[1:][same]] = shared[order[:-1][same]] = True
    return np.flatnonzero(shared)
