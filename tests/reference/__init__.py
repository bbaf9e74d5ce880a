"""Slow, plain reference implementations that the fast kernels are tested against."""
