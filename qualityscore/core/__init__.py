"""Pure scoring and statistics: plain data in, plain data out; no I/O, no clock, no randomness but what is passed in."""
