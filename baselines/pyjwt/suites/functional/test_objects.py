"""Objects with options of their own, the tree of exceptions, and several steps together."""

import jwt
import jwt.exceptions
import pytest

SECRET = "a secret of at least thirty-two bytes"


def test_objects_keep_options_of_their_own():
    lax = jwt.PyJWT(options={"verify_exp": False, "verify_aud": False})
    token = jwt.encode({"exp": 1_000_000_000, "aud": "app"}, SECRET)
    assert lax.decode(token, SECRET, algorithms=["HS256"]) == {"exp": 1_000_000_000, "aud": "app"}
    refused = []
    for check in (
        lambda: lax.decode(token, SECRET, algorithms=["HS256"], options={"verify_exp": True}),
        lambda: jwt.PyJWT().decode(token, SECRET, algorithms=["HS256"], audience="app"),
        lambda: jwt.decode(token, SECRET, algorithms=["HS256"], audience="app"),
    ):
        try:
            check()
        except jwt.ExpiredSignatureError:
            refused.append("expired")
    assert refused == ["expired", "expired", "expired"]


def test_objects_require_claims():
    careful = jwt.PyJWT(options={"require": ["sub", "jti"]})
    good = careful.encode({"sub": "s", "jti": "j"}, SECRET)
    with pytest.raises(jwt.MissingRequiredClaimError):
        careful.decode(careful.encode({"sub": "s"}, SECRET), SECRET, algorithms=["HS256"])
    parts = careful.decode_complete(good, SECRET, algorithms=["HS256"])
    assert [parts["payload"], parts["header"], len(parts["signature"])] == [{"sub": "s", "jti": "j"}, {"alg": "HS256", "typ": "JWT"}, 32]


def test_unknown_options_are_ignored():
    token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwiYWRtaW4iOnRydWV9.qTLpO1PWUMifjRxfzuduu_lJK9lVTMx54fh2YNDHmpA"
    options = {"verify_weather": True, "require": ["sub"]}
    claims = jwt.PyJWT(options=options).decode(token, SECRET, algorithms=["HS256"], options={"colour": "red"})
    assert claims == {"sub": "1234567890", "admin": True}


def test_the_tree_of_exceptions():
    names = [
        "DecodeError",
        "InvalidSignatureError",
        "InvalidAlgorithmError",
        "ExpiredSignatureError",
        "ImmatureSignatureError",
        "InvalidAudienceError",
        "InvalidIssuerError",
        "InvalidIssuedAtError",
        "InvalidSubjectError",
        "InvalidJTIError",
        "MissingRequiredClaimError",
        "InvalidKeyError",
        "PyJWKError",
        "PyJWKSetError",
    ]
    kinds = [getattr(jwt.exceptions, name) for name in names]
    below = [
        (issubclass(kind, jwt.PyJWTError), issubclass(kind, jwt.InvalidTokenError), issubclass(kind, jwt.DecodeError)) for kind in kinds
    ]
    assert below == [(True, True, True)] * 2 + [(True, True, False)] * 9 + [(True, False, False)] * 3
    assert [issubclass(jwt.InsecureKeyLengthWarning, UserWarning), jwt.DecodeError is jwt.exceptions.DecodeError] == [True, True]


def test_an_audience_of_another_type_is_a_mistake():
    token = jwt.encode({"aud": "app", "v": 4}, SECRET)
    with pytest.raises(TypeError):
        jwt.decode(token, SECRET, algorithms=["HS256"], audience=5)
    result = jwt.decode(token, SECRET, algorithms=["HS256"], audience=(name for name in ["app"]))
    assert sorted(result.items()) == [("aud", "app"), ("v", 4)]


def test_keys_are_found_by_the_header():
    keys = jwt.PyJWKSet([{"kty": "oct", "kid": name, "k": (name * 24)[:44]} for name in ("aa", "bb", "cc")])
    tokens = [jwt.encode({"n": n}, keys[name], headers={"kid": name}) for n, name in enumerate(("cc", "aa", "bb", "aa"), 11)]
    found = [jwt.decode(token, keys[jwt.get_unverified_header(token)["kid"]])["n"] for token in tokens]
    assert found == [11, 12, 13, 14]
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(tokens[0], keys["bb"])


def test_nothing_given_is_changed():
    payload, headers, options = {"a": [1], "exp": 4_102_444_800}, {"kid": "k"}, {"require": ["a"], "verify_signature": True}
    token = jwt.encode(payload, SECRET, headers=headers)
    result = jwt.decode(token, SECRET, algorithms=["HS256"], options=options)
    result["a"].append(2)
    assert [payload, headers, options] == [
        {"a": [1], "exp": 4_102_444_800},
        {"kid": "k"},
        {"require": ["a"], "verify_signature": True},
    ]
    assert jwt.decode(token, SECRET, algorithms=["HS256"], options=options) == {"a": [1], "exp": 4_102_444_800}


def test_large_and_deep_payloads():
    payload = {f"claim {number}": {"list": [number, {"deep": [str(number)] * 3}]} for number in range(150)}
    token = jwt.encode(payload, SECRET)
    result = jwt.decode(token, SECRET, algorithms=["HS256"])
    assert [len(result), result["claim 77"], token.count(".")] == [
        150,
        {"list": [77, {"deep": ["77", "77", "77"]}]},
        2,
    ]


def test_text_of_all_kinds_survives():
    payload = {"quote": 'a"b', "line": "a\nb", "astral": "🦉", "null": "\x00", "accents": "čšž"}
    parts = jwt.decode(jwt.encode(payload, "clé secrète d'au moins trente-deux octets"), "clé secrète d'au moins trente-deux octets", ["HS256"])
    assert [f"{name}={value}" for name, value in parts.items()] == [
        'quote=a"b',
        "line=a\nb",
        "astral=🦉",
        "null=\x00",
        "accents=čšž",
    ]
