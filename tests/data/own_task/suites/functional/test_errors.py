"""What is no number."""

import inflection


def test_texts_that_are_no_whole_numbers_are_refused():
    refused = []
    for function in (inflection.ordinal, inflection.ordinalize):
        for text in ("ten", "1.5", ""):
            try:
                function(text)
            except ValueError:
                refused.append(f"{function.__name__} {text}")
    assert refused == ["ordinal ten", "ordinal 1.5", "ordinal ", "ordinalize ten", "ordinalize 1.5", "ordinalize "]
