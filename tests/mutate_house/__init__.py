"""Mutations of the oracle and of lowerings, one constant each, which the house cases must catch: `make mutate-house`."""
