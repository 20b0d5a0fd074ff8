"""Speed of Hush beside other libraries, all measured in one run: ``python -m benchmarks``."""
