"""Static measures: each collector runs a tool (effect) and parses what it said (pure)."""
