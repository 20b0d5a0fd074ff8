"""Every part of a document, in both of its forms."""

from pathlib import Path

import pytest

from hush.output.document import (
    Drawing,
    Heading,
    Image,
    Paragraph,
    Preformatted,
    TableOf,
    Verdict,
    html,
    markdown,
    markdown_table,
    verdict_colour,
)

HERE = Path()


def body(part):
    page = html([part])
    return page[page.index("<main>") + 6 : page.index("</main>")].strip()


def test_a_page_with_a_picture_needs_no_other_file(tmp_path):
    picture = tmp_path / "a.svg"
    picture.write_text("<svg/>")
    parts = [Heading("T", 1), Heading("One two"), Image(picture, "what"), Paragraph("p", note=True)]
    page = html(parts)
    assert '<a href="#one-two">' in page
    assert "PHN2Zy8+" in page
    assert "![what](a.svg)" in markdown(parts, tmp_path)


@pytest.mark.parametrize(
    ("part", "page", "text"),
    [
        (Heading("A & B", 1), "<h1>A &amp; B</h1>", "# A & B"),
        (
            Heading("replay", 3, "violated"),
            '<h3 id="replay">replay <span class="verdict violated">violated</span></h3>',
            "### replay: violated",
        ),
        (Paragraph("run `a < b`"), "<p>run <code>a &lt; b</code></p>", "run `a < b`"),
        (Verdict("not private"), '<p class="verdict not">not private</p>', "**not private**"),
        (Preformatted("a  <b\nc"), "<pre>a  &lt;b\nc</pre>", "```\na  <b\nc\n```"),
        (
            Drawing("<svg/>", 'the "loss"'),
            '<figure role="img" aria-label="the &quot;loss&quot;"><svg/></figure>',
            "<svg/>",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_parts(part, page, text):
    assert body(part) == page
    assert markdown([part], HERE) == f"{text}\n"


def test_tables():
    table = TableOf(("a", "b"), (("holds", "1 < 2"),), marked=0)
    assert '<table class="numbers">' in body(table)
    assert '<td class="verdict holds">holds</td><td>1 &lt; 2</td>' in body(table)
    assert "|---|--:|" in markdown([table], HERE)
    words = TableOf(("a", "b"), (("x|y", ""),), numbers=False)
    assert '<table class="words">' in body(words)
    assert markdown_table(words) == "| a | b |\n|---|---|\n| x\\|y |  |"


def test_facts_have_no_head():
    facts = TableOf((), (("claim", "epsilon = 1"),))
    assert body(facts).startswith('<div class="wide"><table class="facts">\n<tr><td>claim</td>')
    assert "<th>" not in body(facts)
    assert markdown_table(facts).splitlines()[0] == "|  |  |"


def test_verdicts_have_the_colours_of_the_page():
    page = html([])
    for verdict in ("holds", "does not hold", "inconclusive", "consistent", "violated"):
        word = verdict.partition(" ")[0]
        assert f".verdict.{word} {{ color: {verdict_colour(verdict)}; }}" in page
    assert verdict_colour("holds") == verdict_colour("consistent") != verdict_colour("violated")
    assert verdict_colour("something else") == verdict_colour("inconclusive")
