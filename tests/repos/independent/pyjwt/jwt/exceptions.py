"""What can be wrong with tokens and keys."""


class PyJWTError(Exception):
    """Base of all errors of this library."""


class InvalidTokenError(PyJWTError):
    """A token is not accepted."""


class DecodeError(InvalidTokenError):
    """A token cannot be read."""


class InvalidSignatureError(DecodeError):
    """The signature does not fit."""


class InvalidAlgorithmError(InvalidTokenError):
    """The algorithm is not allowed."""


class ExpiredSignatureError(InvalidTokenError):
    """The token has expired."""


class ImmatureSignatureError(InvalidTokenError):
    """The token is not valid yet."""


class InvalidAudienceError(InvalidTokenError):
    """The audience is another."""


class InvalidIssuerError(InvalidTokenError):
    """The issuer is another."""


class InvalidIssuedAtError(InvalidTokenError):
    """The time of issue is no number."""


class InvalidSubjectError(InvalidTokenError):
    """The subject is another, or no text."""


class InvalidJTIError(InvalidTokenError):
    """The token's ID is no text."""


class MissingRequiredClaimError(InvalidTokenError):
    """A claim is missing; its name is in `claim`."""

    def __init__(self, claim: str) -> None:
        super().__init__(claim)
        self.claim = claim

    def __str__(self) -> str:
        return f'Token is missing the "{self.claim}" claim'


class InvalidKeyError(PyJWTError):
    """The key cannot be used."""


class PyJWKError(PyJWTError):
    """The key's algorithm is unknown."""


class PyJWKSetError(PyJWTError):
    """No key can be used."""


class InsecureKeyLengthWarning(UserWarning):
    """A secret is shorter than the hash."""
