"""Properties of the pyjwt task: each docstring states the documented claim."""

import base64
import copy
import hashlib
import hmac
import json
import warnings

import jwt
from hypothesis import given
from hypothesis import strategies as st

warnings.filterwarnings("ignore", category=UserWarning)

HASHES = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}
NAME = st.sampled_from(sorted(HASHES))
SECRET = st.binary(min_size=64, max_size=80).map(lambda data: b"\xff" + data)
RESERVED = ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")
PLAIN = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
VALUE = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8)
PAYLOAD = st.dictionaries(st.text(max_size=6).filter(lambda name: name not in RESERVED), VALUE, max_size=5)


def refused(call):
    try:
        call()
    except jwt.InvalidTokenError:
        return True
    return False


@given(PAYLOAD, SECRET, NAME)
def prop_a_token_gives_back_its_payload(payload, secret, name):
    """decode(encode(p)) is p with the same secret and algorithm, and the argument is not changed."""
    before = copy.deepcopy(payload)
    token = jwt.encode(payload, secret, algorithm=name)
    assert payload == before
    assert jwt.decode(token, secret, algorithms=[name]) == payload
    assert jwt.decode(token, options={"verify_signature": False}) == payload
    assert jwt.get_unverified_header(token) == {"alg": name, "typ": "JWT"}


@given(PAYLOAD, SECRET, NAME)
def prop_a_token_is_what_the_standard_says(payload, secret, name):
    """A token is header and payload in URL-safe base64 without padding, and the HMAC of both."""
    signed, _, signature = jwt.encode(payload, secret, algorithm=name).rpartition(".")
    expected = hmac.new(secret, signed.encode(), HASHES[name]).digest()
    assert signature == base64.urlsafe_b64encode(expected).rstrip(b"=").decode()
    header, body = (json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in signed.split("."))
    assert header == {"alg": name, "typ": "JWT"}
    assert body == payload


@given(PAYLOAD, SECRET, SECRET, NAME)
def prop_another_secret_is_refused(payload, secret, other, name):
    """A token is accepted with the secret that it was signed with only."""
    token = jwt.encode(payload, secret, algorithm=name)
    assert refused(lambda: jwt.decode(token, other, algorithms=[name])) == (secret != other)


@given(PAYLOAD, SECRET, st.data())
def prop_a_changed_token_is_refused(payload, secret, data):
    """A token of which one character was changed is refused, or is the same bytes in base64."""
    token = jwt.encode(payload, secret)
    place = data.draw(st.integers(0, len(token) - 1))
    char = data.draw(st.sampled_from("ABCxyz059-_.!"))
    changed = token[:place] + char + token[place + 1 :]
    assert refused(lambda: jwt.decode(changed, secret, algorithms=["HS256"])) == (changed != token)


@given(PAYLOAD, SECRET, NAME, st.lists(NAME, min_size=1, max_size=3))
def prop_only_listed_algorithms_are_accepted(payload, secret, name, allowed):
    """A token is accepted only if its algorithm is among those that the caller allows."""
    token = jwt.encode(payload, secret, algorithm=name)
    assert refused(lambda: jwt.decode(token, secret, algorithms=allowed)) == (name not in allowed)


@given(PAYLOAD, SECRET, st.lists(st.sampled_from(["none", *HASHES]), min_size=1, max_size=4))
def prop_an_unsigned_token_is_never_accepted_as_signed(payload, secret, allowed):
    """No list of algorithms makes decode accept an unsigned token."""
    token = jwt.encode(payload, None, algorithm="none")
    assert refused(lambda: jwt.decode(token, None, algorithms=allowed))
    assert refused(lambda: jwt.decode(token, secret, algorithms=[name for name in allowed if name != "none"]))
    assert jwt.decode(token, options={"verify_signature": False}) == payload


@given(SECRET, st.sampled_from([0, 10**9, 4 * 10**10]), st.sampled_from(["exp", "nbf", "iat"]), st.sampled_from([0, 10**11]))
def prop_times_are_kept(secret, moment, claim, leeway):
    """exp must lie ahead and nbf and iat must not, unless the leeway is large enough."""
    token = jwt.encode({claim: moment}, secret)
    future = moment > 3 * 10**10
    expected = leeway == 0 and (not future if claim == "exp" else future)
    assert refused(lambda: jwt.decode(token, secret, algorithms=["HS256"], leeway=leeway)) == expected
    assert jwt.decode(token, secret, algorithms=["HS256"], options={f"verify_{claim}": False}) == {claim: moment}


@given(SECRET, st.lists(st.sampled_from("abcd"), min_size=1, max_size=3), st.lists(st.sampled_from("abcd"), min_size=1, max_size=3))
def prop_an_audience_must_be_shared(secret, in_token, asked):
    """A token is accepted if one of the audiences asked for is among its own."""
    token = jwt.encode({"aud": in_token}, secret)
    shared = bool(set(in_token) & set(asked))
    assert refused(lambda: jwt.decode(token, secret, algorithms=["HS256"], audience=asked)) == (not shared)
    assert refused(lambda: jwt.decode(token, secret, algorithms=["HS256"]))


@given(SECRET, st.sets(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd"), max_size=4))
def prop_required_claims_must_be_there(secret, present, required):
    """decode names the first required claim that is missing."""
    token = jwt.encode(dict.fromkeys(present, 1), secret)
    missing = [name for name in required if name not in present]
    try:
        jwt.decode(token, secret, algorithms=["HS256"], options={"require": required})
    except jwt.MissingRequiredClaimError as error:
        assert error.claim == missing[0]
    else:
        assert not missing


@given(st.text(max_size=40) | st.binary(max_size=40))
def prop_junk_is_refused(junk):
    """Anything that is no token raises DecodeError."""
    for call in (lambda: jwt.decode(junk, "x" * 40, algorithms=["HS256"]), lambda: jwt.get_unverified_header(junk)):
        try:
            call()
        except jwt.DecodeError:
            pass
        else:
            raise AssertionError("accepted")


@given(SECRET, NAME, PAYLOAD)
def prop_a_key_from_json_is_its_secret(secret, name, payload):
    """A key made from JSON signs and checks as its secret does, by its own algorithm."""
    data = {"kty": "oct", "k": base64.urlsafe_b64encode(secret).rstrip(b"=").decode(), "alg": name}
    key = jwt.PyJWK.from_json(json.dumps(data))
    assert key.key == secret
    assert jwt.encode(payload, key) == jwt.encode(payload, secret, algorithm=name)
    assert jwt.decode(jwt.encode(payload, secret, algorithm=name), key) == payload
