"""Tokens are made as the standard says. Expected tokens were computed with hmac, json and base64 alone."""

import datetime
import json

import jwt

SECRET = "a secret of at least thirty-two bytes"
HEAD = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."


def test_a_token_with_a_few_claims():
    token = jwt.encode({"sub": "1234567890", "admin": True}, SECRET)
    assert token == HEAD + "eyJzdWIiOiIxMjM0NTY3ODkwIiwiYWRtaW4iOnRydWV9.qTLpO1PWUMifjRxfzuduu_lJK9lVTMx54fh2YNDHmpA"


def test_other_characters_are_escaped_in_the_payload():
    token = jwt.encode({"a": [1, 2.5, None], "ü": "€"}, SECRET, algorithm="HS256")
    assert token == (
        HEAD + "eyJhIjpbMSwyLjUsbnVsbF0sIlx1MDBmYyI6Ilx1MjBhYyJ9.d9OP_h972nuMIFrPw2RLvfceFvz4X11KO40IgPeMtss"
    )


def test_the_longer_hashes():
    assert jwt.encode({"x": 1}, "k" * 64, algorithm="HS384") == (
        "eyJhbGciOiJIUzM4NCIsInR5cCI6IkpXVCJ9.eyJ4IjoxfQ.F_OX_noVAUfrOkaL4Go-eAPEQX-1KgcmeGWRO62z7spptbfIecTj7u8qjyRjiBbr"
    )
    assert jwt.encode({"x": 1}, "k" * 64, algorithm="HS512") == (
        "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJ4IjoxfQ."
        "jvGr0LlTS3IRthlRGvjrklvPpPeVnyUfTD-XAfdHQJvznYJ6Yrf6hIjsJOIONpf0wJGIaAQxV77-ClQmE1dC_g"
    )


def test_secrets_of_bytes():
    assert jwt.encode({"x": 1}, b"\x00\xff" * 20) == HEAD + "eyJ4IjoxfQ.bnR_HpU2-FU9kuZE7zSNE94jfFgY-ZsMJywbv1xmKkg"
    assert jwt.encode({}, SECRET.encode()) == HEAD + "e30.vH7EsOGb2JgtQ83CyWHMHWdCZrgaBvmUkXuoq-Hl1-c"


def test_unsigned_tokens():
    expected = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ4IjoxfQ."
    assert jwt.encode({"x": 1}, None, algorithm="none") == "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ4IjoxfQ."
    assert jwt.encode({"x": 1}, "", algorithm=None) == expected


def test_headers_are_added_replaced_and_left_out():
    assert jwt.encode({"x": 1}, SECRET, headers={"kid": "k-7", "typ": "at+jwt"}) == (
        "eyJhbGciOiJIUzI1NiIsImtpZCI6ImstNyIsInR5cCI6ImF0K2p3dCJ9.eyJ4IjoxfQ.zaaZXMFrEJijBTXGdT1ct7F_DWq2jV_N-5MSsKk6vK4"
    )
    assert jwt.encode({"x": 1}, SECRET, headers={"typ": None}) == (
        "eyJhbGciOiJIUzI1NiJ9.eyJ4IjoxfQ.D7HAAtzr80o-UUvRCwQhwKgRcA8mDrTTPrWy1NR1U2Q"
    )


def test_headers_may_keep_their_order():
    assert jwt.encode({"x": 1}, SECRET, headers={"zip": "q", "aaa": 1}, sort_headers=False) == (
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiIsInppcCI6InEiLCJhYWEiOjF9.eyJ4IjoxfQ.KmsdKHbgjZoLBLwdUk7jCuVUxJoSas-sS1FBjC2kjk8"
    )


def test_the_algorithm_of_the_headers_goes_first():
    token = jwt.encode({"x": 1}, "k" * 64, algorithm="HS256", headers={"alg": "HS384"})
    assert token == (
        "eyJhbGciOiJIUzM4NCIsInR5cCI6IkpXVCJ9.eyJ4IjoxfQ.F_OX_noVAUfrOkaL4Go-eAPEQX-1KgcmeGWRO62z7spptbfIecTj7u8qjyRjiBbr"
    )


def test_times_are_written_as_seconds():
    utc = datetime.timezone.utc
    east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    payload = {
        "exp": datetime.datetime(2100, 1, 1, 5, 30, tzinfo=east),
        "nbf": datetime.datetime(2000, 1, 1, tzinfo=utc),
        "iat": datetime.datetime(2001, 9, 9, 1, 46, 40, 999999, tzinfo=utc),
    }
    token = jwt.encode(payload, SECRET)
    assert token == HEAD + (
        "eyJleHAiOjQxMDI0NDQ4MDAsIm5iZiI6OTQ2Njg0ODAwLCJpYXQiOjEwMDAwMDAwMDB9.iKQC2kI76KdCb6K_sukuBsprpSy4yb89sSo05lYpNaQ"
    )
    assert [payload["exp"].year, payload["nbf"].isoformat()] == [2100, "2000-01-01T00:00:00+00:00"]


def test_times_without_a_zone_are_in_utc():
    token = jwt.encode({"exp": datetime.datetime(2100, 1, 1), "other": 1}, SECRET)
    assert jwt.decode(token, SECRET, algorithms=["HS256"]) == {"exp": 4_102_444_800, "other": 1}


def test_other_types_by_an_encoder_of_ones_own():
    class Sets(json.JSONEncoder):
        def default(self, value):
            return sorted(value)

    token = jwt.encode({"roles": {"b", "a", "c"}}, SECRET, json_encoder=Sets)
    assert jwt.decode(token, SECRET, algorithms=["HS256"]) == {"roles": ["a", "b", "c"]}
    assert token.split(".")[1] == "eyJyb2xlcyI6WyJhIiwiYiIsImMiXX0"
