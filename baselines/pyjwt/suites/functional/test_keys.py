"""Secrets, and keys as JSON."""

import json
import warnings

import jwt
import pytest

SECRET = "a secret of at least thirty-two bytes"
JWK = {"kty": "oct", "k": "AAFiaW5hcnkga2V5IG9mIHRoaXJ0eS10d28gYnl0ZXMhIQ", "kid": "first", "use": "sig"}


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [issubclass(item.category, jwt.InsecureKeyLengthWarning) for item in caught]


def test_short_secrets_are_warned_about():
    short = jwt.encode({"x": 3}, SECRET[:31] + "x")
    counts = [
        len(warned(lambda: jwt.encode({"x": 1}, "x" * size, algorithm=name)))
        for name, size in [("HS256", 31), ("HS256", 32), ("HS384", 47), ("HS384", 48), ("HS512", 63), ("HS512", 64)]
    ]
    assert counts == [1, 0, 1, 0, 1, 0]
    assert warned(lambda: jwt.decode(jwt.encode({"x": 1}, "tiny"), "tiny", algorithms=["HS256"])) == [True, True]
    assert jwt.decode(short, SECRET[:31] + "x", algorithms=["HS256"]) == {"x": 3}


def test_short_secrets_can_be_forbidden():
    strict = jwt.PyJWT(options={"enforce_minimum_key_length": True})
    with pytest.raises(jwt.InvalidKeyError):
        strict.encode({"x": 1}, "x" * 31)
    with pytest.raises(jwt.InvalidKeyError):
        strict.decode(jwt.encode({"x": 1}, "x" * 63, algorithm="HS512"), "x" * 63, algorithms=["HS512"])
    assert strict.encode({"x": 1}, b"\x00\xff" * 20).split(".") == [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJ4IjoxfQ",
        "bnR_HpU2-FU9kuZE7zSNE94jfFgY-ZsMJywbv1xmKkg",
    ]


def test_what_is_no_secret_is_refused():
    pem = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA7p4c1IU6aA65FWn6YZ+Bya5dRbfd4P6d4a6H0u9+gCg=\n-----END PUBLIC KEY-----\n"
    bad = {"empty": "", "none": b"", "pem": pem, "ssh": "ssh-rsa " + "A" * 60, "jwk": json.dumps(JWK)}
    refused = []
    for name, key in bad.items():
        try:
            jwt.encode({"x": 1}, key)
        except jwt.InvalidKeyError:
            refused.append(name)
    assert refused == ["empty", "none", "pem", "ssh", "jwk"]
    assert jwt.encode({"x": 1}, b"\x00\xff" * 20).split(".")[2] == "bnR_HpU2-FU9kuZE7zSNE94jfFgY-ZsMJywbv1xmKkg"


def test_what_cannot_be_encoded_is_refused():
    refused = []
    for payload in ([1, 2], "text", None, b"{}", {"iss": 5}, {"x": object()}):
        try:
            jwt.encode(payload, SECRET)
        except TypeError:
            refused.append(type(payload).__name__)
    assert refused == ["list", "str", "NoneType", "bytes", "dict", "dict"]
    with pytest.raises(NotImplementedError):
        jwt.encode({"x": 1}, SECRET, algorithm="HS1024")
    with pytest.raises(jwt.InvalidKeyError):
        jwt.encode({"x": 1}, SECRET, algorithm="none")
    with pytest.raises(jwt.InvalidTokenError):
        jwt.encode({"x": 1}, SECRET, headers={"kid": 7})
    assert jwt.decode(jwt.encode({"iss": "me"}, SECRET), SECRET, ["HS256"]) == {"iss": "me"}


def test_a_key_from_json():
    key = jwt.PyJWK(JWK)
    assert [key.key, key.key_id, key.key_type, key.public_key_use, key.algorithm_name] == [
        b"\x00\x01binary key of thirty-two bytes!!",
        "first",
        "oct",
        "sig",
        "HS256",
    ]
    other = jwt.PyJWK.from_json(json.dumps({"kty": "oct", "k": "a2V5", "alg": "HS384"}))
    third = jwt.PyJWK.from_dict({"kty": "oct", "k": "a2V5", "alg": "HS384"}, algorithm="HS512")
    assert [other.key, other.algorithm_name, other.key_id, other.public_key_use, third.algorithm_name] == [
        b"key",
        "HS384",
        None,
        None,
        "HS512",
    ]


def test_a_key_from_json_signs_and_checks():
    key = jwt.PyJWK({**JWK, "alg": "HS384"}, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        token = jwt.encode({"n": 9}, key)
        same = jwt.encode({"n": 9}, b"\x00\x01binary key of thirty-two bytes!!", algorithm="HS384")
        results = [jwt.decode(token, key), jwt.decode(token, key, algorithms=["HS384"])]
    assert [token == same, jwt.get_unverified_header(token), results] == [
        True,
        {"alg": "HS384", "typ": "JWT"},
        [{"n": 9}, {"n": 9}],
    ]


def test_a_key_from_json_stands_for_its_algorithm():
    key = jwt.PyJWK(JWK)
    other = jwt.encode({"n": 9}, key.key + b"x" * 40, algorithm="HS512")
    refused = []
    for algorithms in (None, ["HS512"], ["HS256"], ["HS256", "HS512"]):
        try:
            jwt.decode(other, key, algorithms=algorithms)
        except jwt.InvalidAlgorithmError:
            refused.append(len(algorithms or ()))
    assert refused == [0, 1, 1, 2]
    assert jwt.decode(jwt.encode({"n": 10}, key), key) == {"n": 10}


def test_bad_keys_from_json_are_refused():
    bad = [{}, {"k": "a2V5"}, {"kty": "xyz", "k": "a2V5"}, {"kty": "oct", "k": ""}, {"kty": "oct", "k": 5}]
    refused = []
    for number, data in enumerate(bad):
        try:
            jwt.PyJWK(data)
        except jwt.InvalidKeyError:
            refused.append(number)
    with pytest.raises(jwt.PyJWKError):
        jwt.PyJWK({"kty": "oct", "k": "a2V5"}, algorithm="HS1")
    assert refused == [0, 1, 2, 3, 4]


def test_a_set_of_keys():
    data = {"keys": [JWK, {"kty": "strange"}, "no key", {"kty": "oct", "k": "c2Vjb25k", "kid": "second"}]}
    keys = jwt.PyJWKSet.from_dict(data)
    again = jwt.PyJWKSet.from_json(json.dumps(data))
    assert [[key.key_id for key in keys], keys["second"].key, again["first"].key[:8]] == [
        ["first", "second"],
        b"second",
        b"\x00\x01binary",
    ]
    with pytest.raises(KeyError):
        keys["third"]


def test_a_set_without_a_usable_key_is_refused():
    refused = []
    for keys in ([], [{"kty": "strange"}], ["x", 5]):
        try:
            jwt.PyJWKSet(keys)
        except jwt.PyJWKSetError:
            refused.append(len(keys))
    assert refused == [0, 1, 2]
    assert [key.key for key in jwt.PyJWKSet([{"kty": "oct", "k": "b25seQ"}])] == [b"only"]
