"""``python -m bottle``: serve an application from the command line."""

from bottle._server import main

if __name__ == "__main__":
    main()
