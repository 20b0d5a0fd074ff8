import hush.live
from hush.dashboard.log_words import log_rows


def test_every_act_is_said_in_words():
    store = hush.live.open(":memory:")
    exp = store.create(
        "checkout", policy="NoiseAwareTS", arms=["old", "new", "more"], person_epsilon=1.5
    )
    exp.rehearse(by="Ada")
    exp.start(by="Ada")
    exp.add_arm("last", by="Ada")
    exp.retire_arm("new")
    exp.retire_arm("more")
    exp.adjust(floor=0.05, control="last", by="Ada")
    exp.pause()
    exp.resume()
    with store._private.transaction(durable=True):
        store._acts.quarantine(0, "a test")
    store._publisher.publish()
    exp.continue_()
    exp.stop(by="<b>")
    rows = log_rows(exp.acts, exp.arms)
    assert [(what, who) for _, what, who in rows] == [
        ("rehearsal begun", "Ada"),
        ("started; ε 1.5 charged", "Ada"),
        ("arm last added", "Ada"),
        ("arm new retired", "not said"),
        ("arm more retired", "not said"),
        ("adjusted: floor 0.05, share of control 0, control last", "Ada"),
        ("paused", "not said"),
        ("resumed", "not said"),
        ("quarantined: a test", "the store itself"),
        ("continued; ε 1.5 charged", "not said"),
        ("told to stop", "<b>"),
    ]


def test_what_is_given_back_is_said():
    store = hush.live.open(":memory:")
    exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1)
    exp.start()
    exp.stop()
    assert [what for _, what, _ in log_rows(exp.acts, exp.arms)] == [
        "started; ε 1 charged",
        "told to stop; ε 1 given back",
    ]
