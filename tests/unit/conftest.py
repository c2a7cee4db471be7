"""Unit tests see no network: a socket is an error."""

import pytest
from pytest_socket import disable_socket, socket_allow_hosts


@pytest.fixture(autouse=True)
def no_sockets() -> None:
    socket_allow_hosts([])
    disable_socket(allow_unix_socket=False)
