"""Tokens are read and their signatures checked. The tokens were made with hmac, json and base64 alone."""

import jwt
import pytest

SECRET = "a secret of at least thirty-two bytes"
HEAD = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
TOKEN = HEAD + "eyJzdWIiOiIxMjM0NTY3ODkwIiwiYWRtaW4iOnRydWV9.qTLpO1PWUMifjRxfzuduu_lJK9lVTMx54fh2YNDHmpA"
LONG = (
    "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJ4IjoxfQ."
    "jvGr0LlTS3IRthlRGvjrklvPpPeVnyUfTD-XAfdHQJvznYJ6Yrf6hIjsJOIONpf0wJGIaAQxV77-ClQmE1dC_g"
)
UNSIGNED = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ4IjoxfQ."
NAMED = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImstNyIsInR5cCI6ImF0K2p3dCJ9.eyJ4IjoxfQ.zaaZXMFrEJijBTXGdT1ct7F_DWq2jV_N-5MSsKk6vK4"


def kind(token, *arguments, **options):
    try:
        return jwt.decode(token, *arguments, **options)
    except jwt.PyJWTError as error:
        known = [
            (jwt.InvalidSignatureError, "signature"),
            (jwt.DecodeError, "decode"),
            (jwt.InvalidAlgorithmError, "algorithm"),
            (jwt.InvalidTokenError, "token"),
            (jwt.InvalidKeyError, "key"),
        ]
        return next(name for type_, name in known if isinstance(error, type_))


def test_a_good_token_gives_its_payload():
    assert jwt.decode(TOKEN, SECRET, algorithms=["HS256"]) == {"sub": "1234567890", "admin": True}
    assert jwt.decode(TOKEN.encode(), SECRET.encode(), ["HS512", "HS256"]) == {"sub": "1234567890", "admin": True}
    assert jwt.decode(LONG, "k" * 64, algorithms=["HS512"]) == {"x": 1}


def test_a_good_token_gives_all_its_parts():
    parts = jwt.decode_complete(NAMED, SECRET, algorithms=["HS256"])
    assert [parts["header"], parts["payload"]] == [{"alg": "HS256", "kid": "k-7", "typ": "at+jwt"}, {"x": 1}]
    assert parts["signature"].hex() == "cda6995cc16b1098a30535c6753d5cb7b17f0d6ab68d5fcdfb9312b0a93abcae"


def test_other_secrets_and_changed_tokens_are_refused():
    changed = TOKEN.replace("eyJzdWIi", "eyJzdWJi")
    cut = TOKEN.rpartition(".")[0] + "."
    results = [
        kind(TOKEN, SECRET + "x", algorithms=["HS256"]),
        kind(changed, SECRET, algorithms=["HS256"]),
        kind(cut, SECRET, algorithms=["HS256"]),
        kind(NAMED.split(".")[0] + TOKEN[len(HEAD) - 1 :], SECRET, algorithms=["HS256"]),
        kind(TOKEN, SECRET, algorithms=["HS256"]),
    ]
    assert results == ["signature", "signature", "signature", "signature", {"sub": "1234567890", "admin": True}]


def test_only_allowed_algorithms_count():
    results = [
        kind(TOKEN, SECRET, algorithms=["HS384", "HS512"]),
        kind(TOKEN, SECRET, algorithms=["hs256"]),
        kind(LONG, "k" * 64, algorithms=["HS256"]),
        kind("eyJ0eXAiOiJKV1QifQ.eyJ4IjoxfQ.AAAA", SECRET, algorithms=["HS256"]),
        kind("eyJhbGciOiJYWTk5In0.eyJ4IjoxfQ.AAAA", SECRET, algorithms=["XY99"]),
    ]
    assert results == ["algorithm", "algorithm", "algorithm", "algorithm", "algorithm"]
    assert [kind(TOKEN, SECRET), kind(TOKEN, SECRET, algorithms=[])] == ["decode", "decode"]


def test_unsigned_tokens_are_never_taken_as_signed():
    results = [
        kind(UNSIGNED, SECRET, algorithms=["HS256"]),
        kind(UNSIGNED, "", algorithms=["none"]),
        kind(UNSIGNED, None, algorithms=["none", "HS256"]),
        kind(UNSIGNED, options={"verify_signature": False}),
    ]
    assert results == ["algorithm", "signature", "signature", {"x": 1}]
    assert kind(UNSIGNED, SECRET, algorithms=["none"]) in ("signature", "key")


def test_the_signature_can_be_left_unchecked():
    options = {"verify_signature": False}
    assert jwt.decode(TOKEN, options=options) == {"sub": "1234567890", "admin": True}
    assert jwt.decode(TOKEN[:-4] + "AAAA", options=options) == {"sub": "1234567890", "admin": True}
    assert jwt.decode_complete(UNSIGNED, options=options) == {
        "header": {"alg": "none", "typ": "JWT"},
        "payload": {"x": 1},
        "signature": b"",
    }


def test_headers_can_be_read_alone():
    assert jwt.get_unverified_header(NAMED) == {"alg": "HS256", "kid": "k-7", "typ": "at+jwt"}
    assert jwt.get_unverified_header(LONG[:-10].encode()) == {"alg": "HS512", "typ": "JWT"}


def test_malformed_tokens_are_refused():
    bad = ["", "a", "a.b", "a.b.c", "..", TOKEN.replace(".", "!"), "!" + TOKEN, HEAD + "!!!." + "AAAA", TOKEN + "==", 42, None, [TOKEN]]
    results = [kind(token, SECRET, algorithms=["HS256"]) for token in bad]
    assert results == ["decode"] * 12
    with pytest.raises(jwt.DecodeError):
        jwt.get_unverified_header("no dots at all")


def test_parts_that_are_no_json_objects_are_refused():
    array = HEAD + "WzEsMl0.VqcE7gAbdPDFMEnnbQgMkk0d7Eb9mNSrFQczHRz0gq4"
    words = HEAD + "bm90IGpzb24.w3K9RyBNWuvN-aqfAEjKZiPN92kdVX7DluK9yqrlU90"
    head = "WzEsMl0.eyJ4IjoxfQ.AAAA"
    assert [kind(token, SECRET, algorithms=["HS256"]) for token in (array, words, head, TOKEN)] == [
        "decode",
        "decode",
        "decode",
        {"sub": "1234567890", "admin": True},
    ]


def test_padding_is_accepted():
    head, body, signature = LONG.split(".")
    assert jwt.decode(TOKEN + "=", SECRET, algorithms=["HS256"]) == {"sub": "1234567890", "admin": True}
    assert jwt.decode_complete(f"{head}.{body}==.{signature}==", options={"verify_signature": False})["payload"] == {"x": 1}


def test_a_token_has_one_spelling_only():
    last = {character: kind(TOKEN[:-1] + character, SECRET, algorithms=["HS256"]) for character in "ABCDE"}
    assert last == {"A": {"sub": "1234567890", "admin": True}, "B": "decode", "C": "decode", "D": "decode", "E": "signature"}


def test_odd_headers_are_refused():
    tokens = [
        "eyJhbGciOiJIUzI1NiIsImtpZCI6N30.e30.AAAA",  # kid 7
        "eyJhbGciOiJIUzI1NiIsImNyaXQiOlsieHl6Il0sInh5eiI6MX0.e30.AAAA",  # crit ["xyz"]
        "eyJhbGciOiJIUzI1NiIsImNyaXQiOltdfQ.e30.AAAA",  # crit []
        "eyJhbGciOiJIUzI1NiIsImNyaXQiOiJiNjQifQ.e30.AAAA",  # crit "b64"
    ]
    assert [kind(token, SECRET, algorithms=["HS256"]) for token in tokens] == ["token", "token", "token", "token"]
    assert [kind(token, options={"verify_signature": False}) for token in tokens] == ["token", "token", "token", "token"]
    assert jwt.get_unverified_header("eyJhbGciOiJIUzI1NiIsImtpZCI6ImstNyIsInR5cCI6ImF0K2p3dCJ9.e30.AAAA")["kid"] == "k-7"
