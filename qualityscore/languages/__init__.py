"""What is particular to one programming language."""
