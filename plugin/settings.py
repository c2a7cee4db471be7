"""All settings, read once from the environment (`CITEDESK_*`) and an optional `citedesk.env` file.

This is the only module that reads the environment. An unknown `CITEDESK_*` name is an error, not a shrug.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.errors import InvalidSettings

PREFIX = "CITEDESK_"
ENV_FILE = Path("citedesk.env")

Port = Annotated[int, Field(ge=1, le=65535)]
Share = Annotated[float, Field(ge=0, le=1)]


class Settings(BaseSettings):
    """One field a setting; the description is what docs/configuration.md shows."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_file_encoding="utf-8")

    # where things are
    data_dir: Path = Field(
        Path("var/citedesk"), description="Folder for the database, the indexes and the key file. One process owns it."
    )
    database_url: str = Field(
        "",
        description="SQLAlchemy address of the relational store, for example `postgresql+psycopg://user@host/name`. "
        "Empty: SQLite in the data folder.",
    )
    secret_key: SecretStr | None = Field(
        None,
        description="Master secret for vault, ledger and sessions, at least 32 characters. "
        "Empty: a key file (mode 0600) in the data folder, made at the first start.",
    )

    # the web server
    host: str = Field("127.0.0.1", description="Address the web server binds to.")
    port: Port = Field(8080, description="TCP port of the web server.")
    base_url: str = Field(
        "", description="Address people and helpdesks reach Citedesk at, without trailing slash. Empty: host and port."
    )
    web_threads: int = Field(8, ge=1, le=128, description="Requests answered at the same time.")
    secure_cookies: bool = Field(
        False, description="Send the session cookie over HTTPS only. Turn on wherever HTTPS is in front."
    )
    session_hours: float = Field(12, gt=0, description="Hours until somebody who signed in must sign in again.")
    login_attempts: int = Field(
        5, ge=1, description="Wrong passwords for one login (and four times as many from one address) in 5 minutes."
    )
    webhook_max_bytes: int = Field(1_000_000, ge=1_000, description="Largest webhook body accepted, in bytes.")

    # helpdesks
    folder_dir: Path | None = Field(None, description="Folder helpdesk: where its JSON tickets lie. Empty: not used.")
    folder_secret: SecretStr | None = Field(
        None, description="Folder helpdesk: secret its webhook sends in the header `X-Citedesk-Secret`."
    )
    generic_url: str = Field("", description="Generic helpdesk: root address of its REST interface. Empty: not used.")
    generic_token: SecretStr | None = Field(None, description="Generic helpdesk: bearer token for its REST interface.")
    generic_secret: SecretStr | None = Field(None, description="Generic helpdesk: secret that signs its webhooks.")
    public_replies: bool = Field(
        True,
        description="Whether an approved reply is posted to the customer. Off: it becomes an internal note for an "
        "agent to send by hand.",
    )
    post_notes: bool = Field(True, description="Whether each new draft is announced in the helpdesk as internal note.")

    # ingestion
    passage_words: int = Field(120, ge=20, le=400, description="Target length of a passage, in words.")
    passage_overlap_words: int = Field(20, ge=0, le=100, description="Words a passage shares with the one before it.")
    max_document_bytes: int = Field(50_000_000, ge=1_000, description="Larger source files are skipped, and counted.")

    # models
    embedder: str = Field(
        "packaged",
        description="`packaged` (all-MiniLM-L6-v2 from its Python package), or a local folder with a "
        "sentence-transformers model, or a Hugging Face id that is in the local cache.",
    )
    embed_batch: int = Field(32, ge=1, description="Passages embedded at once.")
    model_threads: int = Field(0, ge=0, description="Threads a model may use. 0: as many as there are cores.")

    # retrieval (start values: docs/evaluation.md)
    retrieval_depth: int = Field(100, ge=1, le=1000, description="Passages each index is asked for.")
    retrieval_k: int = Field(10, ge=1, le=100, description="Passages that come out of retrieval.")
    dense_weight: Share = Field(0.7, description="Weight of the dense run in the fusion; the lexical run has the rest.")
    docs_weight: float = Field(1.0, ge=0, description="Weight of the documentation's scores.")
    tickets_weight: float = Field(0.8, ge=0, description="Weight of the scores of earlier solved tickets.")

    # drafting
    abstain_below: Share = Field(
        0.5, description="Evidence below this confidence makes no draft: the system says what is missing instead."
    )
    strong_from: Share = Field(0.85, description="Confidence from which the evidence is called strong.")
    greeting: str = Field("Hello,", description="First line of every draft.")
    closing: str = Field("Kind regards,\nYour support team", description="Last lines of every draft.")

    # work
    worker_threads: int = Field(1, ge=0, le=16, description="Threads that draft. 0: this process only receives.")
    job_attempts: int = Field(5, ge=1, description="Tries before a job is parked for a person to look at.")
    job_lease_s: float = Field(300, gt=0, description="Seconds after which a job of a dead worker is taken over.")
    retry_base_s: float = Field(2, gt=0, description="Seconds before the second try; then doubled, at most 600 s.")

    # logs
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="DEBUG, INFO, WARNING or ERROR.")
    log_json: bool = Field(False, description="Logs as one JSON object a line instead of aligned text.")

    @property
    def store_url(self) -> str:
        return self.database_url or f"sqlite:///{(self.data_dir / 'citedesk.db').resolve()}"

    @property
    def public_url(self) -> str:
        return (self.base_url or f"http://{self.host}:{self.port}").rstrip("/")


def load_settings(env_file: Path | None = None, **overrides: object) -> Settings:
    """Settings from the environment, the file and `overrides` (strongest). Raises `InvalidSettings`."""
    _refuse_unknown_names()
    path = env_file or ENV_FILE
    if env_file and not env_file.is_file():
        raise InvalidSettings(f"There is no settings file {env_file}.")
    try:
        return Settings(_env_file=path, **{k: v for k, v in overrides.items() if v is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        raise InvalidSettings(_explain(error)) from None


def _refuse_unknown_names() -> None:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    for name in os.environ:
        if name.startswith(PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            suggestion = f" Did you mean {close[0]}?" if close else ""
            raise InvalidSettings(f"There is no setting {name}.{suggestion}")


def _explain(error: ValidationError) -> str:
    """One line a problem, with the setting's name as an administrator types it, never its value."""
    return "; ".join(
        f"{PREFIX}{'.'.join(str(part) for part in problem['loc']).upper()}: {problem['msg']}"
        for problem in error.errors(include_input=False)
    )
