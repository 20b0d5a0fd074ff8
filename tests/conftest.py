from hypothesis import HealthCheck, settings

# Fixed examples: a failure is a fault, never bad luck. No deadline: first calls may compile.
settings.register_profile(
    "hush",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("hush")
