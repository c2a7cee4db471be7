"""A rotation that is killed, for real, at any moment: nothing is lost, and running it again finishes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.domain.audit import verify_chain
from core.domain.redaction import PlaceholderMap
from plugin.bootstrap import Records, open_records
from plugin.settings import Settings
from tests.contracts.samples import NOW

MAPS = 450
ROTATE = """
import sys
from pathlib import Path
from connectors.storage import rotation
from plugin.bootstrap import KeyFile, owned, replace_master_key
from plugin.settings import Settings
from tests.contracts.samples import NOW

def say(word):
    print(word, flush=True)
    sys.stdin.readline()

settings = Settings(_env_file=None, data_dir=Path(sys.argv[1]))
settle = KeyFile.settle
KeyFile.settle = lambda *args: (say("wrapped"), settle(*args), say("settled"))
prepare = KeyFile.prepare
KeyFile.prepare = lambda *args: (prepared := prepare(*args), say("prepared"))[0]
with owned(settings) as records:
    replace_master_key(records, None, by="root")
    records.store.reencrypt(at=NOW, actor="root", progress=lambda done, total: say(f"sealed {done}"))
    say("done")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with maps and a ledger."""
    folder = tmp_path / "data"
    records = opened(folder)
    with records.uow() as tx:
        for number in range(MAPS):
            tx.vault.save(f"desk|{number}", map_of(number), at=NOW)
            tx.ledger.append(at=NOW, actor="ada", event="e", subject=f"s{number}", details={})
        tx.commit()
    records.close()
    return folder


def opened(folder: Path) -> Records:
    return open_records(Settings(_env_file=None, data_dir=folder))


def map_of(number: int) -> PlaceholderMap:
    return PlaceholderMap({"<PERSON_1>": f"Ada the {number}th"})


def killed_at(folder: Path, moment: str) -> None:
    """Start a rotation and kill it the moment it says this word."""
    command = [sys.executable, "-c", ROTATE, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == moment:
                process.kill()
                break
            process.stdin.write("on\n")
            process.stdin.flush()
    assert process.returncode == -signal.SIGKILL, moment


def check(folder: Path) -> int:
    """All maps and all seals; how many maps are still under the old key."""
    records = opened(folder)
    keys = records.seal_keys
    with records.uow() as tx:
        assert all(tx.vault.load(f"desk|{number}") == map_of(number) for number in range(MAPS))
        assert verify_chain(tx.ledger.entries(), keys, tx.ledger.head()).problems == ()
        outdated = tx.vault.size().outdated
    records.close()
    return outdated


@pytest.mark.parametrize(
    ("moment", "left"), [("prepared", 0), ("wrapped", 450), ("settled", 450), ("sealed 200", 250), ("done", 0)]
)
def test_a_killed_rotation_leaves_everything_readable_and_is_finished_by_the_next(
    folder: Path, moment: str, left: int
) -> None:
    old_key = (folder / "secret.key").read_text()
    killed_at(folder, moment)
    assert check(folder) == left
    citedesk = [sys.executable, "-m", "plugin", "vault", "rotate", "--data", str(folder)]
    done = subprocess.run(citedesk, capture_output=True, text=True, check=True)
    assert ("broken off" in done.stdout) == (left > 0)
    assert check(folder) == 0
    assert not (folder / "secret.key.next").exists()
    assert (folder / "secret.key").stat().st_mode & 0o777 == 0o600
    assert (folder / "secret.key").read_text() != old_key
    assert_opens_nothing(folder, old_key)


def assert_opens_nothing(folder: Path, old_key: str) -> None:
    new_key = (folder / "secret.key").read_text()
    (folder / "secret.key").write_text(old_key)
    citedesk = [sys.executable, "-m", "plugin", "vault", "status", "--data", str(folder)]
    refused = subprocess.run(citedesk, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "master key" in refused.stderr
    (folder / "secret.key").write_text(new_key)


def citedesk(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "plugin", "vault", *arguments, "--data", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})


def test_a_secret_in_the_settings_is_replaced_by_one_from_a_file_or_a_variable(tmp_path: Path) -> None:
    folder, file = tmp_path / "data", tmp_path / "new"
    first, second, third = ("a" * 32, "b" * 32, "c" * 32)
    assert citedesk(folder, "status", CITEDESK_SECRET_KEY=first).returncode == 0
    refused = citedesk(folder, "rotate", CITEDESK_SECRET_KEY=first)
    assert (refused.returncode, "--new-secret-from" in refused.stderr) == (2, True)
    file.write_text(second + "\n")
    assert citedesk(folder, "rotate", "--new-secret-from", str(file), CITEDESK_SECRET_KEY=first).returncode == 0
    given = {"CITEDESK_SECRET_KEY": second, "NEW_ONE": third}
    assert citedesk(folder, "rotate", "--new-secret-from", "NEW_ONE", **given).returncode == 0
    codes = [citedesk(folder, "status", CITEDESK_SECRET_KEY=secret).returncode for secret in (first, second, third)]
    assert codes == [1, 1, 0]
    short = citedesk(folder, "rotate", "--new-secret-from", "NEW_ONE", CITEDESK_SECRET_KEY=third, NEW_ONE="short")
    assert short.returncode == 2
    assert citedesk(folder, "status", CITEDESK_SECRET_KEY=third).returncode == 0
    assert not (folder / "secret.key").exists()
