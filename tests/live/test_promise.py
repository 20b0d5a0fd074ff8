"""The sentence of the promise, with its numbers."""

import hush.live


def made(store, name, epsilon, **terms):
    exp = store.create(name, policy="LazyDPTS", arms=["a", "b"], person_epsilon=epsilon, **terms)
    exp.start()
    return exp


def test_an_experiment_alone_names_its_own_factor():
    exp = made(hush.live.open(":memory:"), "one", 0.5)
    assert "at most a factor exp(0.5), beyond" in exp.guarantee.reason
    assert "together" not in exp.guarantee.reason


def test_the_sum_over_a_population_is_named():
    store = hush.live.open(":memory:")
    one, two = made(store, "one", 0.5), made(store, "two", 0.25)
    made(store, "other", 4.0, population="elsewhere")
    draft = store.create("x", policy="LazyDPTS", arms=["a", "b"], person_epsilon=0.125)
    for exp in (one, two):
        assert "of population 'default'" in exp.guarantee.reason
        assert "all of them together is at most exp(0.75)" in exp.guarantee.reason
    assert one.guarantee.epsilon == 0.5
    assert "together is at most exp(0.875)" in draft.guarantee.reason


def test_simulated_noise_is_named():
    exp = made(hush.live.open(":memory:", noise=hush.SeededNoise(1)), "one", 0.5)
    assert "protects nobody" in exp.guarantee.reason
    assert "protects nobody" not in made(hush.live.open(":memory:"), "one", 0.5).guarantee.reason


def test_what_shows_the_control_arm_learns_nothing(tmp_path):
    path = tmp_path / "experiments.db"
    with hush.live.open(path) as store:
        lost = made(store, "lost", 1.0, control="b")
        lost.decide("u17")
        ended = made(store, "ended", 1.0, control="b")
        ended.stop()
        decision = ended.decide("u17")
        assert (decision.name, decision.propensity) == ("b", 1.0)
        ended.reward(decision, 1)
    (tmp_path / "experiments.private.db").unlink()
    with hush.live.open(path) as store:
        lost = store.experiment("lost")
        assert lost.state == "quarantined"
        assert lost.decide("u17").name == "b"
        lost.continue_()
        assert lost.guarantee.epsilon == 2.0
        assert "exp(2) (1 charged 2 times)" in lost.guarantee.reason
        assert store._private.run("SELECT count(*) FROM pending") == [(0,)]
