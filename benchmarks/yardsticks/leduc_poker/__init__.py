"""Leduc poker: two players, six cards, two rounds of bets; the smallest game of real bluffing."""
