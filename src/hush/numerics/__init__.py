"""Laws, divergences and posteriors: what policies, engines, theory and audit compute alike.

Modules here are plain NumPy and light to import; :mod:`hush.numerics.compiled`, and the modules
that say so, need numba and are imported where they are used.
"""
