"""The version, where everybody can read it without the rest of the house."""

__all__ = ["__version__"]

__version__ = "0.3.0"
