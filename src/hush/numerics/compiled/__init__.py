"""The same, compiled: number by number instead of by array."""
