"""The experiments that the shipped players must reproduce, each beside the figures published for it (docs/experiments.md)."""
