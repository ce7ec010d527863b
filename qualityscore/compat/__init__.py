"""The formats of other benchmarks."""
