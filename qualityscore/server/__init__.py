"""The scoring service: an HTTP interface to evaluations, with a queue that survives."""
