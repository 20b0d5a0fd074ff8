"""What is done to good requests: each way spoils one thing, and mostly still holds the sentinel."""

from dataclasses import replace
from urllib.parse import quote

from tests.service.malformed import DIGITS, JSON, LINES, PUBLIC_DIGITS, Good

DEEP = 30_000  # bytes of brackets
BOM = b"\xef\xbb\xbf"


def values(good, rng, public):
    """Return a value that does not fit where it stands, or hardly."""
    text = good.text(public)
    digits = (PUBLIC_DIGITS if public else DIGITS) + str(rng.randrange(1000))
    depth = rng.choice((3, 60, 600, DEEP))
    made = rng.choice(
        (
            lambda: f'"{text}"',
            lambda: f'["{text}"]',
            lambda: f'{{"{text}": "{text}"}}',
            lambda: digits,
            lambda: f"-{digits}.5",
            lambda: f"{digits}e300",
            lambda: f"{digits}e400",
            lambda: f"-0.{digits}e-320",
            lambda: digits + "0" * rng.choice((20, 400, 5000)),
            lambda: f"0.{digits}" + "0" * 3000,
            lambda: f'"{digits}"',
            lambda: f"[{digits}, {digits}]",
            lambda: rng.choice(("NaN", "Infinity", "-Infinity", "null", "true", "[]", "{}", '""')),
            lambda: rng.choice(("01", "+1", "1.", ".5", "0x1F", "1e", "--1", "undefined", "'a'")),
            lambda: "[" * depth + f'"{text}"' + "]" * depth,
            lambda: '{"a":' * (depth // 3) + f'"{text}"' + "}" * (depth // 3),
            lambda: "[" * depth,
            lambda: f'"{text}\\ud800"',
            lambda: f'"\\udc00{text}\\ud800\\ud800"',
            lambda: f'"{text}\\u0000{text}"',
            lambda: f'"{text}\n"',
            lambda: f'"{text}\\n"',
            lambda: f'"{text}\\q"',
            lambda: f'"\\u{ord(text[0]):04x}{text[1:]}\\t\\"\\\\"',
            lambda: f'"{text}\'; DROP TABLE people; --"',
            lambda: f'"{text} {text[::-1]}"',
            lambda: f'"\u202e{text}\U0001f600\u00e9"',
            lambda: f'"{text * rng.choice((5, 40, 400))}"',
            lambda: f'"hush_test_{text}"',
            lambda: f'"{text}',
            lambda: f'"{rng.choice(("1d", "-1s", "1e9d", "999999999999999w", "0s"))}"',
        )
    )()
    return made.encode("utf-8", "surrogatepass")


class Mutant:
    """Spoils requests."""

    def __init__(self, world, rng):
        self.good, self.rng, self.world = Good(world, rng), rng, world

    def request(self):
        """Return a request; one in twelve is good."""
        rng, sent = self.rng, self.good.request()
        ways = rng.choice(WAYS) if sent.pairs else "envelope"
        if rng.random() < 1 / 12:
            ways = ""
        if "members" in ways:
            for _ in range(rng.choice((1, 1, 1, 2))):
                rng.choice(MEMBERS)(self, rng.choice(sent.pairs), sent.public)
        sent = sent.joined()
        if "bytes" in ways and sent.body:
            sent = replace(sent, body=rng.choice(BODIES)(self, sent.body))
        return rng.choice(ENVELOPES)(self, sent) if "envelope" in ways else sent

    # -- members of an object ---------------------------------------------------------------------

    def wrong_value(self, row, public):
        if row:
            place = self.rng.randrange(len(row))
            row[place] = row[place][0], values(self.good, self.rng, public)

    def twice(self, row, public):
        if row:
            key, value = self.rng.choice(row)
            other = self.rng.choice((value, values(self.good, self.rng, public)))
            row.insert(self.rng.randrange(len(row) + 1), (key, other))

    def unknown(self, row, public):
        key = self.rng.choice((f'"{self.good.text(public)}"', '"__class__"', '""', '"Person"'))
        row.append((key.encode(), values(self.good, self.rng, public)))

    def missing(self, row, public):
        if row:
            del row[self.rng.randrange(len(row))]

    def renamed(self, row, public):
        if row:
            place = self.rng.randrange(len(row))
            key = self.rng.choice((row[place][0].upper(), row[place][0][1:], b"1", b'"\\ud800"'))
            row[place] = key, row[place][1]

    # -- the bytes of a body ----------------------------------------------------------------------

    def flipped(self, body):
        spoilt = bytearray(body)
        for _ in range(self.rng.choice((1, 1, 2, 8))):
            spoilt[self.rng.randrange(len(body))] ^= 1 << self.rng.randrange(8)
        return bytes(spoilt)

    def cut(self, body):
        return body[: self.rng.randrange(len(body))]

    def doubled(self, body):
        start, end = self._slice(body)
        return body[:end] + body[start:end] * self.rng.choice((1, 1, 3)) + body[end:]

    def dropped(self, body):
        start, end = self._slice(body)
        return body[:start] + body[end:]

    def _slice(self, body):
        return sorted(self.rng.randrange(len(body) + 1) for _ in range(2))

    def with_noise(self, body):
        place = self.rng.randrange(len(body) + 1)
        return body[:place] + self.rng.randbytes(self.rng.choice((1, 2, 9))) + body[place:]

    def with_bom(self, body):
        text = body.decode("utf-8", "replace")
        return self.rng.choice((BOM + body, text.encode("utf-16"), text.encode("utf-32-le")))

    def around(self, body):
        return self.rng.choice(
            (
                b"  " + body + b" \r\n",
                body + body,
                b"[" + body + b"]",
                body.rstrip() + b",",
                b"/* a */" + body,
                body.replace(b'"', b"'"),
                b"null",
                b"",
                b"\x00" + body,
                body + b"\x00",
                b"\n\n" + body,
                body.replace(b"\n", b"\r\n"),
                body.replace(b"\n", b" \n\n \n"),
                body.replace(b"}", b",}"),
                b'"' + body.replace(b'"', b'\\"') + b'"',
            )
        )

    def long(self, body):
        size = self.rng.choices((3_000, 70_000, 4_200_000), (900, 100, 2))[0]
        return body[:1] + b" " * size + body[1:]

    # -- what a body comes in ---------------------------------------------------------------------

    def media(self, sent):
        media = self.rng.choice(
            (
                *(JSON, LINES, b"", b"text/plain", b"application/json; charset=utf-16"),
                *(b"APPLICATION/JSON", b"application/json;", b"application/jsonx", b"*/*"),
                *(b"multipart/form-data; boundary=x", self.good.text().encode(), b"\xff\xfe"),
            )
        )
        return _with_header(sent, b"content-type", media)

    def no_media(self, sent):
        return replace(sent, headers=[each for each in sent.headers if each[0] != b"content-type"])

    def token(self, sent):
        rng, tokens = self.rng, self.world.tokens
        good = rng.choice(list(tokens.values()))
        secret = self.good.text().encode().hex()
        wrong = (
            "",
            "Bearer",
            f"Bearer {good}",
            f"bearer  {good}",
            f"Basic {good}",
            f"Bearer {good}{self.good.text()}",
            f"Bearer {good[:-1]}{rng.choice('0123456789abcdef')}",
            f"Bearer {good.upper()}",
            f"Bearer hush_{DIGITS}00000_{secret:0<64}",
            f"Bearer hush_test_{DIGITS}00000_{secret:0<64}",
            f"Bearer {self.good.text()}",
            f"Bearer {good} {self.good.text()}",
            "Bearer \u0661\u0662".encode().decode("latin-1"),
        )
        return _with_header(sent, b"authorization", rng.choice(wrong).encode("latin-1"))

    def no_token(self, sent):
        return replace(sent, headers=[each for each in sent.headers if each[0] != b"authorization"])

    def address(self, sent):
        rng, target, text = self.rng, sent.target.decode(), self.good.text(sent.public)
        parts = target.split("/")
        parts[rng.randrange(1, len(parts))] = rng.choice(
            (text, quote(f"{text}/é\n"), "%00", "%2e%2e", "%ff%fe", "%c0%af", "*", ".", "", "%")
        )
        spoilt = rng.choice(
            (
                "/".join(parts),
                "/".join(parts),
                target + "/",
                target + rng.choice(("%0a", "%00", "%20", "%2f", "%", "%zz", ";" + text)),
                target.replace("/", "//", 1),
                target.replace("/", "%2F", 2),
                target.upper(),
                target + f"?{text}={text}&after={text}&after=%ff&=&{DIGITS}",
                "/" + text,
                target + "/" + text * 300,
            )
        )
        return replace(sent, target=spoilt.encode())

    def method(self, sent):
        other = ("GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE")
        return replace(sent, method=self.rng.choice(other))

    def header(self, sent):
        rng, text = self.rng, self.good.text().encode()
        more = rng.choice(
            (
                (b"idempotency-key", rng.choice((b"", text * 30, text + b"\xe9", text, b"\x80"))),
                (b"x-" + text, text),
                (b"x-long", text * rng.choice((100, 2_000))),
                (b"if-none-match", rng.choice((text, b'"1.2.' + text * 3, b"W/" + text, b"*"))),
                (b"host", text),
                (b"cookie", text),
                (b"content-encoding", rng.choice((b"gzip", text))),
                (b"x-http-method-override", b"DELETE"),
            )
        )
        return replace(sent, headers=[*sent.headers, more])


def _with_header(sent, name, value):
    others = [each for each in sent.headers if each[0] != name]
    return replace(sent, headers=[*others, (name, value)])


WAYS = (*("members", "bytes") * 3, "envelope", "members bytes", "members envelope")
MEMBERS = (*(Mutant.wrong_value,) * 4, Mutant.twice, Mutant.unknown, Mutant.missing, Mutant.renamed)
BODIES = (
    *(Mutant.flipped, Mutant.flipped, Mutant.cut, Mutant.doubled, Mutant.dropped),
    *(Mutant.with_noise, Mutant.with_bom, Mutant.around, Mutant.around, Mutant.long),
)
ENVELOPES = (
    *(Mutant.media, Mutant.no_media, Mutant.token, Mutant.no_token),
    *(Mutant.address, Mutant.address, Mutant.method, Mutant.header, Mutant.header),
)
