from hush.output.numbers import readable, shown, with_interval


def test_numbers_for_readers():
    assert shown(float("nan")) == "?"
    assert with_interval(12345.6, 12345.6, 12345.6) == "12,346 (12,346 to 12,346)"
    assert with_interval(150.0, 149.75, 150.25) == "150.0 (149.8 to 150.2)"
    assert with_interval(1.5, 1.25, 1.75) == "1.50 (1.25 to 1.75)"
    assert with_interval(-87.23, -106.4, -68.0) == "-87 (-106 to -68)"
    assert with_interval(8303.4, 8303.4 - 1e-12, 8303.4) == "8,303 (8,303 to 8,303)"
    assert with_interval(12.0, float("nan"), float("nan")) == "12.0 (?)"
    assert with_interval(12.0, 1.0, float("inf")) == "12.0 (?)"
    assert with_interval(92.34, 83.73, 100.96, 1) == "92.3 (83.7 to 101.0)"


def test_swept_values():
    assert [readable(value) for value in (0.5, 10**6, 2**40, "S1", (1.0, 2.0))] == [
        "0.5",
        "10^6",
        "1.09951 10^12",
        "S1",
        "(1.0, 2.0)",
    ]
