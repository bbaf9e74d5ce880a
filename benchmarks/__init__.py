"""How fast the games are, beside plain C and beside other libraries: `python -m benchmarks`."""
