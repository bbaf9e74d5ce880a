"""What takes part in the benchmarks: our own loops and those of peers, each ready to be timed."""
