"""Is this branch worse than an earlier state of itself: the repository's own tests, its code, and a gate."""
