"""Workloads of the pyjwt task: seeded inputs, a body that uses the surface, a digest of the result."""

import base64
import hashlib
import hmac
import json
import random
import zlib

SECRET = "a secret of at least thirty-two bytes"
HASHES = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}
LONG = "0123456789abcdef" * 4


def plain(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(payload, secret, algorithm="HS256"):
    """A token made without the subject."""
    header = json.dumps({"alg": algorithm, "typ": "JWT"}, separators=(",", ":"))
    text = plain(header.encode()) + "." + plain(json.dumps(payload, separators=(",", ":")).encode())
    return text + "." + plain(hmac.new(secret.encode(), text.encode(), HASHES[algorithm]).digest())


def claims(rng, number):
    return {"sub": f"user-{number}", "n": rng.randrange(10**6), "roles": rng.sample(["a", "b", "c", "d"], 2), "exp": 32503680000}


class MakeTokens:
    """Many small tokens by three algorithms."""

    id = "make-tokens"
    n = 1500

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10**9) for _ in range(size)]

    def body(self, inputs):
        import jwt

        names = ("HS256", "HS384", "HS512")
        return [
            jwt.encode({"sub": f"user-{number}", "n": number, "exp": 32503680000}, LONG, algorithm=names[number % 3])
            for number in inputs
        ]

    def digest(self, result):
        return [len(result), zlib.crc32(".".join(result).encode())]


class CheckTokens:
    """Many small tokens read and checked, audience and issuer too."""

    id = "check-tokens"
    n = 700

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [token({**claims(rng, number), "aud": ["x", "app"], "iss": "me"}, SECRET) for number in range(size)]

    def body(self, inputs):
        import jwt

        total = 0
        for text in inputs:
            payload = jwt.decode(text, SECRET, algorithms=["HS256"], audience="app", issuer="me", options={"require": ["exp", "sub"]})
            total += payload["n"] * len(payload["roles"]) + len(payload["sub"])
        return len(inputs), total

    def digest(self, result):
        return list(result)


class SortOut:
    """Good and bad tokens mixed; the kinds of refusal are counted."""

    id = "sort-out"
    n = 1200

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        texts = []
        for number in range(size):
            good = token(claims(rng, number), SECRET)
            head, body, signature = good.split(".")
            texts.append(
                rng.choice(
                    [
                        good,
                        f"{head}.{body}.{signature[:-4]}AAAA",
                        f"{head}.{body}",
                        token({"exp": 1000}, SECRET),
                        token({"nbf": 32503680000}, SECRET),
                        token({"x": number}, LONG, "HS512"),
                        f"{head}.!!!!.{signature}",
                    ]
                )
            )
        return texts

    def body(self, inputs):
        import jwt

        counts = [0] * 6
        for position, text in enumerate(inputs, 1):
            try:
                jwt.decode(text, SECRET, algorithms=["HS256"])
                counts[0] += position
            except jwt.InvalidSignatureError:
                counts[1] += position
            except jwt.DecodeError:
                counts[2] += position
            except jwt.ExpiredSignatureError:
                counts[3] += position
            except jwt.ImmatureSignatureError:
                counts[4] += position
            except jwt.InvalidAlgorithmError:
                counts[5] += position
        return counts

    def digest(self, result):
        return result


class KeySets:
    """Tokens checked with the key that their header names, out of a set."""

    id = "key-sets"
    n = 500

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        keys = [{"kty": "oct", "kid": f"k{number}", "k": plain(rng.randbytes(40))} for number in range(12)]
        return {"keys": keys, "order": [rng.randrange(12) for _ in range(size)]}

    def body(self, inputs):
        import jwt

        keys = jwt.PyJWKSet(inputs["keys"])
        total, last = 0, ""
        for number, place in enumerate(inputs["order"], 1):
            last = jwt.encode({"n": number}, keys[f"k{place}"], headers={"kid": f"k{place}"})
            key = keys[jwt.get_unverified_header(last)["kid"]]
            total += jwt.decode(last, key)["n"] * (place + 1)
        return total, last

    def digest(self, result):
        return list(result)


class OneLargeToken:
    """One token with a payload of many claims, there and back."""

    id = "one-large-token"
    n = 11000
    holds_mib = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10**9) for _ in range(size)]

    def body(self, inputs):
        import jwt

        payload = {f"claim-{number}": [number, f"value {number}"] for number in inputs}
        text = jwt.encode(payload, SECRET)
        parts = jwt.decode_complete(text, SECRET, algorithms=["HS256"])
        return text, parts["payload"] == payload, len(parts["payload"]), parts["signature"]

    def digest(self, result):
        text, same, count, signature = result
        return [len(text), zlib.crc32(text.encode()), same, count, signature.hex()]


WORKLOADS = [MakeTokens(), CheckTokens(), SortOut(), KeySets(), OneLargeToken()]
