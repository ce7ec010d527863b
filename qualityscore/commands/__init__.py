"""The subcommands: each module offers `add_parser(subparsers)` (light) and the function that it runs (imports late)."""
