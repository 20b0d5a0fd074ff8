"""The version, where everybody can read it without the rest of the house."""

__all__ = ["__version__"]

__version__ = "1.0.0.dev0"
