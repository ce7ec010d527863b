"""Evaluations for other harnesses: reward functions, Inspect, Harbor."""
