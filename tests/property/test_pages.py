"""Pages of reports whose details are anything that JSON can hold: rendered, never an error."""

from dataclasses import replace

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from qualityscore.model.codec import dump, load_report
from qualityscore.reports import html
from sample_reports import full, part

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(["subject", "reference", "lru-churn", "id", "ratio", "right", "log_ratios", "value"])
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
DETAILS = st.dictionaries(st.sampled_from(["parts", "by_size", "over_time", "growth", "reference_growth"]), ANYTHING)


def with_details(details):
    report = full()
    efficiency = report.dimensions["efficiency"]
    odd = replace(efficiency, measures=tuple(replace(m, details=details) for m in efficiency.measures))
    return replace(report, dimensions={**report.dimensions, "efficiency": odd})


@example({"parts": [part("a", 1e300), part("b", 1e-300)]})
@example({"parts": [part("a\ud800", 1.0), part("b", 2.0)], "by_size": {"x\ud800": {"subject": [[1, 2], [2, 3]]}}})
@example({"by_size": {"x": {"subject": [[1, 1]], "reference": [[-5, 0]]}}})
@example({"over_time": {"x": {"subject": [[0, 0], [1, 1e308]]}}})
@given(DETAILS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_details_of_any_shape_make_a_page(details):
    text = html.render(with_details(details))
    assert text.endswith("</html>\n")
    text.encode()


def test_a_stored_report_makes_the_page_of_the_report():
    report = full()
    assert html.render(load_report(dump(report))) == html.render(report)
