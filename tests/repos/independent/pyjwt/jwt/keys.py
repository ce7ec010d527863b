"""Keys in their JSON form (RFC 7517)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from . import _base64
from .algorithms import HASHES
from .exceptions import InvalidKeyError, PyJWKError, PyJWKSetError, PyJWTError


class PyJWK:
    """A shared secret from its JSON form, with the algorithm that it is for."""

    def __init__(self, jwk_data: dict[str, Any], algorithm: str | None = None) -> None:
        """Take the key from a dictionary.

        :param jwk_data: the key, with `kty` being `oct` and the secret in `k`
        :param algorithm: the algorithm, by default that of the key, or else `HS256`
        """
        if not isinstance(jwk_data, dict):
            raise InvalidKeyError("a JSON key must be a dictionary")
        self.key_type: str | None = jwk_data.get("kty")
        self.key_id: str | None = jwk_data.get("kid")
        self.public_key_use: str | None = jwk_data.get("use")
        if self.key_type != "oct":
            raise InvalidKeyError(f"the key type {self.key_type!r} is missing or unknown")
        if algorithm is None:
            algorithm = jwk_data.get("alg")
        if algorithm is None:
            algorithm = "HS256"
        if not isinstance(algorithm, str) or algorithm not in HASHES:
            raise PyJWKError(f"the algorithm {algorithm!r} is unknown")
        self.algorithm_name = algorithm
        secret = jwk_data.get("k")
        if not isinstance(secret, str):
            raise InvalidKeyError("the key has no secret")
        try:
            self.key = _base64.decode(secret.encode("ascii"))
        except ValueError as error:
            raise InvalidKeyError("the secret is not base64") from error
        if not self.key:
            raise InvalidKeyError("the secret is empty")

    @staticmethod
    def from_dict(obj: dict[str, Any], algorithm: str | None = None) -> PyJWK:
        """Take a key from a dictionary."""
        return PyJWK(obj, algorithm)

    @staticmethod
    def from_json(data: str, algorithm: str | None = None) -> PyJWK:
        """Take a key from JSON text."""
        try:
            obj = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InvalidKeyError("the key is not JSON") from error
        return PyJWK(obj, algorithm)

    def __repr__(self) -> str:
        return f"<PyJWK kid={self.key_id!r} algorithm={self.algorithm_name!r}>"


class PyJWKSet:
    """Several keys: those of a list that can be used."""

    def __init__(self, keys: list[dict[str, Any]]) -> None:
        """Take the keys from a list of dictionaries."""
        if not isinstance(keys, (list, tuple)):
            raise PyJWKSetError("the keys must be a list")
        self.keys: list[PyJWK] = []
        self._by_id: dict[str, PyJWK] = {}
        for data in keys:
            try:
                key = PyJWK(data)
            except PyJWTError:
                continue
            self.keys.append(key)
            if isinstance(key.key_id, str):
                self._by_id.setdefault(key.key_id, key)
        if not self.keys:
            raise PyJWKSetError("the set has no key that can be used")

    @staticmethod
    def from_dict(obj: dict[str, Any]) -> PyJWKSet:
        """Take the keys from a dictionary that has them under `keys`."""
        if not isinstance(obj, dict):
            raise PyJWKSetError("a key set must be a dictionary")
        return PyJWKSet(obj.get("keys", []))

    @staticmethod
    def from_json(data: str) -> PyJWKSet:
        """Take the keys from JSON text."""
        try:
            obj = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise PyJWKSetError("the key set is not JSON") from error
        return PyJWKSet.from_dict(obj)

    def __getitem__(self, kid: str) -> PyJWK:
        """Return the key of an ID or raise `KeyError`."""
        return self._by_id[kid]

    def __iter__(self) -> Iterator[PyJWK]:
        return iter(self.keys)

    def __len__(self) -> int:
        return len(self.keys)
