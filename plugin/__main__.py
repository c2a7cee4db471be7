"""`python -m plugin` is the command `citedesk`."""

from plugin.cli import main

if __name__ == "__main__":
    main()
