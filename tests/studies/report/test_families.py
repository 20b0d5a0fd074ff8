"""What came out, in a few words for each family of claims."""

from tests.studies.small import made

from hush.studies.report.claims import check_claims
from hush.studies.report.families import count_verdicts, stated_families

LESS = 'test = "less"\nthan = "B"\nfamily = "Who is ahead"'


def stated(means, claim=LESS):
    findings = check_claims(made(means, noise=0.05, claim=claim))
    assert count_verdicts(findings).startswith("Of 1 claims, ")
    ((name, text),) = stated_families(findings)
    return name, text


def test_what_holds_is_counted():
    name, text = stated(lambda name, place, point: 100 if name == "A" else 200)
    assert (name, text) == ("Who is ahead", "1 of 1 claims hold.")


def test_what_does_not_hold_is_told_with_its_places():
    def means(name, place, point):
        return 300 if name == "A" and place["epsilon"] == 0.1 else 100 if name == "A" else 200

    _, text = stated(means)
    assert text.startswith("0 of 1 claims hold. Not so: a claim (at 1 of 2; ratio of means 1.")
    assert text.endswith(" at epsilon 0.1).")
    _, text = stated(lambda name, place, point: 200 if name == "A" else 100)
    assert text.endswith(" everywhere).")


def test_what_is_unclear_is_told():
    _, text = stated(lambda *_: 100)
    assert text == "0 of 1 claims hold. Undecided: a claim."


def test_medians_are_named():
    findings = check_claims(
        made(lambda n, *_: 100 if n == "A" else 200, noise=0.05, claim=LESS, points=(10**6,))
    )
    assert count_verdicts(findings).endswith(
        "1 of these verdicts rest on medians, as runs do not tell the means."
    )
    assert stated_families(findings)[0][1] == "1 of 1 claims hold, 1 of them for medians."


def test_claims_without_a_family_belong_to_their_study():
    name, _ = stated(lambda *_: 100, claim='test = "less"\nthan = "B"')
    assert name == "small"
