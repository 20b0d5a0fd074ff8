"""Studies that go beyond the paper, each made by one command."""
