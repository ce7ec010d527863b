"""The small task's suite and the blind subjects are played in the sandbox, never collected here."""

collect_ignore = ["task", "blind"]
