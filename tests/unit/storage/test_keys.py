from __future__ import annotations

import hmac
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from connectors.storage.keys import derive_key, load_master_key
from core.errors import InvalidSettings

SECRET = "s" * 32


def test_a_secret_is_the_key_and_no_file_is_made(tmp_path: Path) -> None:
    assert load_master_key(SECRET, tmp_path / "key") == SECRET.encode()
    assert list(tmp_path.iterdir()) == []


def test_a_secret_of_31_characters_is_too_short(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings) as refused:
        load_master_key("s" * 31, tmp_path / "key")
    assert "sss" not in refused.value.message


@pytest.mark.parametrize("secret", [None, ""])
def test_without_secret_a_private_key_file_is_made_once(tmp_path: Path, secret: str | None) -> None:
    key_file = tmp_path / "data" / "key"
    key = load_master_key(secret, key_file)
    assert len(key) == 32
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert load_master_key(secret, key_file) == key
    assert list(key_file.parent.iterdir()) == [key_file]


def test_two_installations_have_different_keys(tmp_path: Path) -> None:
    assert load_master_key(None, tmp_path / "a") != load_master_key(None, tmp_path / "b")


def test_several_first_starts_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: load_master_key(None, tmp_path / "key"), range(16)))
    assert len(keys) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    key_file = tmp_path / "key"
    load_master_key(None, key_file)
    key_file.chmod(mode)
    with pytest.raises(InvalidSettings, match="read by others"):
        load_master_key(None, key_file)


@pytest.mark.parametrize("content", ["", "ab" * 31, "ab" * 33, "zz" * 32, "é" * 32])
def test_a_malformed_key_file_is_refused_and_not_shown(tmp_path: Path, content: str) -> None:
    key_file = tmp_path / "key"
    key_file.write_text(content, encoding="utf-8")
    key_file.chmod(0o600)
    with pytest.raises(InvalidSettings) as refused:
        load_master_key(None, key_file)
    assert not content or content not in refused.value.message
    assert key_file.read_text(encoding="utf-8") == content


def test_a_key_file_that_cannot_be_made_is_a_settings_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidSettings):
        load_master_key(None, tmp_path / "file" / "key")


def test_derived_keys_are_hkdf_sha256() -> None:
    """RFC 5869 by hand: extract with a salt of zeros, expand one block."""
    extracted = hmac.digest(bytes(32), b"master", "sha256")
    assert derive_key(b"master", "vault") == hmac.digest(extracted, b"citedesk/vault\x01", "sha256")


def test_each_purpose_and_each_master_has_its_own_key() -> None:
    keys = {derive_key(master, purpose) for master in (b"a", b"b") for purpose in ("vault", "ledger", "session")}
    assert len(keys) == 6
    assert {len(key) for key in keys} == {32}
