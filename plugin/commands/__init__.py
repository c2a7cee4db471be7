"""One module a command of `citedesk`. Each imports what it needs when it runs, so that `--help` is quick."""
