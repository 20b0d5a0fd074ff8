from hush.output.document import TableOf
from hush.output.text_table import text_table


def test_words_stand_to_the_left():
    table = TableOf(("a", "b"), (("1", "x"), ("22", "long")), numbers=False)
    assert text_table(table) == "a   b\n1   x\n22  long"


def test_a_long_first_column_is_wrapped_and_not_cut():
    name = "a-very-long-name(with=1, many=2, parameters=3, that=4, do=5, not=6, fit=7)"
    text = text_table(TableOf(("policy", "value"), ((name, "9" * 40),)), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "".join(text.replace("9" * 40, "").split()).endswith(name.replace(" ", ""))


def test_nothing_is_a_table_of_nothing():
    assert text_table(TableOf((), ())) == ""
    assert text_table(TableOf(("a",), ())) == "a"
