"""The registered claims. Times lie far from any present."""

import datetime

import jwt
import jwt.exceptions

SECRET = "a secret of at least thirty-two bytes"
PAST, FUTURE, AGES = 1_000_000_000, 32_503_680_000, 100_000_000_000


def outcome(payload, **options):
    token = jwt.encode(payload, SECRET)
    try:
        return sorted(jwt.decode(token, SECRET, algorithms=["HS256"], **options))
    except jwt.InvalidTokenError as error:
        known = [
            (jwt.ExpiredSignatureError, "expired"),
            (jwt.ImmatureSignatureError, "immature"),
            (jwt.InvalidAudienceError, "audience"),
            (jwt.InvalidIssuerError, "issuer"),
            (jwt.InvalidIssuedAtError, "issued"),
            (jwt.exceptions.InvalidSubjectError, "subject"),
            (jwt.exceptions.InvalidJTIError, "jti"),
            (jwt.DecodeError, "decode"),
        ]
        if isinstance(error, jwt.MissingRequiredClaimError):
            return f"missing {error.claim}"
        return next(name for type_, name in known if isinstance(error, type_))


def test_expiry():
    results = [outcome({"exp": PAST}), outcome({"exp": FUTURE}), outcome({"exp": PAST, "n": 1}, leeway=AGES), outcome({"exp": 0})]
    assert results == ["expired", ["exp"], ["exp", "n"], "expired"]
    assert outcome({"exp": PAST}, leeway=datetime.timedelta(days=400_000)) == ["exp"]
    assert outcome({"exp": PAST, "m": 2}, options={"verify_exp": False}) == ["exp", "m"]


def test_not_before():
    results = [outcome({"nbf": FUTURE}), outcome({"nbf": PAST}), outcome({"nbf": FUTURE, "n": 1}, leeway=AGES)]
    assert results == ["immature", ["nbf"], ["n", "nbf"]]
    assert outcome({"nbf": FUTURE, "m": 1}, options={"verify_nbf": False}) == ["m", "nbf"]


def test_issued_at():
    results = [outcome({"iat": FUTURE}), outcome({"iat": PAST}), outcome({"iat": FUTURE, "n": 1}, leeway=AGES), outcome({"iat": "soon"})]
    assert results == ["immature", ["iat"], ["iat", "n"], "issued"]
    assert outcome({"iat": "soon", "m": 1}, options={"verify_iat": False}) == ["iat", "m"]


def test_times_that_are_no_numbers():
    results = [outcome({"exp": "never"}), outcome({"nbf": "now"}), outcome({"exp": None}), outcome({"nbf": [1]}), outcome({"iat": {}})]
    assert results == ["decode", "decode", "decode", "decode", "issued"]


def test_audience():
    one, many = {"aud": "app"}, {"aud": ["app", "web"], "z": 1}
    results = [
        outcome(one, audience="app"),
        outcome(many, audience="web"),
        outcome(many, audience=["none", "web"]),
        outcome(one, audience=("other", "app")),
        outcome(one, audience="ap"),
        outcome(many, audience=["x", "y"]),
        outcome(one),
        outcome({"z": 1}, audience="app"),
        outcome({"aud": [1, 2]}, audience="app"),
        outcome({"aud": {"app": 1}}, audience="app"),
        outcome(many, options={"verify_aud": False}),
    ]
    assert results == [
        ["aud"],
        ["aud", "z"],
        ["aud", "z"],
        ["aud"],
        "audience",
        "audience",
        "audience",
        "missing aud",
        "audience",
        "audience",
        ["aud", "z"],
    ]


def test_strict_audience():
    strict = {"strict_aud": True}
    results = [
        outcome({"aud": "app"}, audience="app", options=strict),
        outcome({"aud": "app"}, audience=["app"], options=strict),
        outcome({"aud": ["app"]}, audience="app", options=strict),
        outcome({"aud": "app"}, audience="web", options=strict),
    ]
    assert results == [["aud"], "audience", "audience", "audience"]


def test_issuer():
    results = [
        outcome({"iss": "me", "a": 1}, issuer="me"),
        outcome({"iss": "me"}, issuer="m"),
        outcome({"iss": "me"}, issuer=["you", "me"]),
        outcome({"iss": "me"}, issuer={"you"}),
        outcome({"b": 1}, issuer="me"),
        outcome({"iss": "me"}),
        outcome({"iss": "me"}, issuer="you", options={"verify_iss": False}),
    ]
    assert results == [["a", "iss"], "issuer", ["iss"], "issuer", "missing iss", ["iss"], ["iss"]]


def test_subject_and_id():
    results = [
        outcome({"sub": "s"}, subject="s"),
        outcome({"sub": "s"}, subject="t"),
        outcome({"sub": 5}),
        outcome({"sub": "s", "c": 1}),
        outcome({"sub": 5, "d": 1}, options={"verify_sub": False}),
        outcome({"jti": "id", "e": 1}),
        outcome({"jti": 5}),
        outcome({"jti": 5}, options={"verify_jti": False}),
    ]
    assert results == [["sub"], "subject", "subject", ["c", "sub"], ["d", "sub"], ["e", "jti"], "jti", ["jti"]]


def test_required_claims():
    results = [
        outcome({"a": 1, "b": 0}, options={"require": ["a", "b"]}),
        outcome({"a": 1}, options={"require": ["a", "b", "c"]}),
        outcome({"a": None}, options={"require": ["a"]}),
        outcome({"exp": FUTURE}, options={"require": ["exp", "iat"]}),
    ]
    assert results == [["a", "b"], "missing b", "missing a", "missing iat"]
    try:
        jwt.decode(jwt.encode({}, SECRET), SECRET, algorithms=["HS256"], options={"require": ["nbf"]})
    except jwt.MissingRequiredClaimError as error:
        text = str(error)
    assert ["nbf" in text, len(text) > 5, outcome({"nbf": PAST}, options={"require": ["nbf"]})] == [True, True, ["nbf"]]


def test_claims_are_not_checked_without_the_signature():
    token = jwt.encode({"exp": PAST, "nbf": FUTURE, "aud": "app", "sub": 5}, SECRET)
    assert jwt.decode(token, options={"verify_signature": False}) == {
        "exp": 1_000_000_000,
        "nbf": 32_503_680_000,
        "aud": "app",
        "sub": 5,
    }
    results = []
    for extra in ({"verify_exp": True}, {"verify_nbf": True}, {"verify_aud": True}, {"require": ["iss"]}):
        try:
            jwt.decode(token, options={"verify_signature": False, **extra})
        except jwt.InvalidTokenError as error:
            results.append(type(error).__mro__.index(jwt.InvalidTokenError))
    assert [len(results), min(results) > 0] == [4, True]
