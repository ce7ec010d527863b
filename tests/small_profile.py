"""A small profile whose scores can be computed by hand."""

PROFILE = """
name = "test"
title = "Test"
judgements.weights = { a = 3, b = 1 }
[[dimensions]]
id = "a"
title = "A"
judgements.weights = { low = 2, high = 1 }
[[dimensions.measures]]
id = "low"
title = "Lower is better"
unit = "points"
better = "lower"
epsilon = 5
credible = true
[[dimensions.measures]]
id = "high"
title = "Higher is better"
unit = "share"
better = "higher"
[[dimensions]]
id = "b"
title = "B"
[[dimensions.measures]]
id = "cost"
title = "Cost"
unit = "instructions"
better = "lower"
tolerance = 0.03
floor_share = 0.01
scoring = "parts"
"""
