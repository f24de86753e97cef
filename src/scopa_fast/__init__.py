"""A fast engine for Scopa, Scopone and their relatives."""

__version__ = "0.1.0"
