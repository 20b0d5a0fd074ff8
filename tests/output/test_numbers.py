from hush.output.numbers import plus_minus, readable, shown


def test_numbers_for_readers():
    assert shown(float("nan")) == "?"
    assert plus_minus(12345.6, 0.0) == "12,346 ± 0"
    assert plus_minus(150.0, 0.25) == "150.0 ± 0.2"
    assert plus_minus(1.5, 0.25) == "1.50 ± 0.25"
    assert plus_minus(-87.23, 19.2) == "-87 ± 19"
    assert plus_minus(8303.4, 1e-12) == "8,303 ± 0"  # rounding is no uncertainty
    assert plus_minus(12.0, float("nan")) == "12.0 ± ?"
    assert plus_minus(92.34, 8.61, 1) == "92.3 ± 8.6"


def test_swept_values():
    assert [readable(value) for value in (0.5, 10**6, 2**40, "S1", (1.0, 2.0))] == [
        "0.5",
        "10^6",
        "1.09951 10^12",
        "S1",
        "(1.0, 2.0)",
    ]
