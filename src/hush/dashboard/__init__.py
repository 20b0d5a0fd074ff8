"""The dashboard: pages about live experiments, made from the public store alone."""
