"""Frozen data that every stage speaks. Nothing here has an effect or imports anything internal."""
