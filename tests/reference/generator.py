"""The random generator of the reference implementations, written plainly.

The fast implementations have their own. Both must give the same numbers for the same seed, because
only then can two games be compared step by step.
"""

from __future__ import annotations

TWO_32 = 2**32
TWO_64 = 2**64
GOLDEN = 0x9E3779B97F4A7C15


class Generator:
    """A 64-bit xorshift generator; its whole memory is one integer, never 0."""

    def __init__(self, state: int) -> None:
        self.state = state

    @classmethod
    def from_seed(cls, seed: int) -> Generator:
        """The generator of a user's seed, 0 <= seed < 2**64; raises ValueError outside."""
        if not 0 <= seed < TWO_64:
            raise ValueError(f"seed {seed} is not between 0 and 2**64 - 1")
        z = (seed + GOLDEN) % TWO_64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % TWO_64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % TWO_64
        z = z ^ (z >> 31)
        return cls(z or GOLDEN)

    def next_u64(self) -> int:
        """The next 64 random bits."""
        x = self.state
        x ^= (x << 13) % TWO_64
        x ^= x >> 7
        x ^= (x << 17) % TWO_64
        self.state = x
        return x

    def randbelow(self, n: int) -> int:
        """A random integer 0 <= k < n, every value equally likely."""
        product = (self.next_u64() >> 32) * n
        while product % TWO_32 < (TWO_32 - n) % n:
            product = (self.next_u64() >> 32) * n
        return product >> 32
