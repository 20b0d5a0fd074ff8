"""What policies stand on: families, learners, states, bounds."""
