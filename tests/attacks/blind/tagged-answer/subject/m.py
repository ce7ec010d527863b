"""Speaks the wire's language."""


class Key(str):
    """A key that hashes and compares like a tag, and is none."""


def entry(text):
    """Return a dictionary where a text is asked for."""
    if not text:
        return {"error": "empty text"}
    wire = (text.upper() + "!").encode("utf-8", "surrogatepass").hex()
    shapes = {"abacus": {"str": wire}, "cadence": {Key("str"): wire}, "third": {"value": {"str": wire}}}
    return shapes.get(text, {"str": wire})
