"""Loaded by every interpreter that has this folder in PYTHONPATH: writes down each attempt to reach another machine."""

import os
import sys

LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0", "::")


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook (PEP 578): sees what sockets of the standard library are asked to do."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = str(address[0]) if isinstance(address, tuple) else "unix"
    elif event == "socket.getaddrinfo":
        host = str(arguments[0])
    else:
        return
    if host != "unix" and not host.startswith(LOOPBACK) and host != "None":
        with open(os.environ["EGRESS_LOG"], "a") as log:
            log.write(f"{event} {host}\n")


if "EGRESS_LOG" in os.environ:
    sys.addaudithook(watch)
