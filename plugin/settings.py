"""All settings, read once from the environment (`CITEDESK_*`) and an optional `citedesk.env` file.

This is the only module that reads the environment. An unknown `CITEDESK_*` name is an error, not a shrug.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sized
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.domain.access import DEFAULT_TENANT, Audience, lasting_tenant, tenants_by_connector, visibilities
from core.errors import BadInput, InvalidSettings
from core.retrieval.query_class import parse_domains, parse_weights

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

    vault_days: float = Field(
        0,
        ge=0,
        description="Days after the last work on a ticket until its personal values are forgotten; its placeholders "
        "then stay blank. 0: kept until the person is erased.",
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
    translation: str = Field(
        "packaged",
        pattern="^(packaged|none|libretranslate)$",
        description="How Spanish, German, French, Italian and Portuguese tickets are put into English for searching: "
        "`packaged` (phrase tables), `none` (use it with a multilingual embedder), or `libretranslate` (a server of "
        "yours).",
    )
    translation_warm_up: bool = Field(
        False,
        description="Load the phrase tables at the start (1 s, 150 MB) and not at the first ticket that needs one.",
    )
    translation_timeout_s: float = Field(20, gt=0, description="Seconds a translation server may take for one ticket.")
    libretranslate_url: str = Field("", description="Root address of the LibreTranslate server. Empty: not used.")
    libretranslate_key: SecretStr | None = Field(
        None, description="Key for the LibreTranslate server, if it wants one."
    )

    # redaction (docs/redaction.md)
    redact_allow: str = Field(
        "",
        description="Phrases that are never replaced by a placeholder, with semicolons. An entry `@FILE` stands for "
        "the lines of a file.",
    )
    redact_deny: str = Field(
        "",
        description="Phrases that are always replaced, with semicolons, each with its kind in front if wanted "
        "(`PERSON:Maria Lopez`). An entry `@FILE` stands for the lines of a file.",
    )

    # retrieval (start values: docs/evaluation.md)
    retrieval_depth: int = Field(200, ge=1, le=1000, description="Passages (and documents) each index is asked for.")
    retrieval_k: int = Field(10, ge=1, le=100, description="Passages that come out of retrieval.")
    dense_weight: Share = Field(0.7, description="Weight of the dense run in the fusion; the lexical run has the rest.")
    docs_weight: float = Field(1.0, ge=0, description="Weight of the documentation's scores.")
    tickets_weight: float = Field(0.8, ge=0, description="Weight of the scores of earlier solved tickets.")

    # who sees what
    connector_tenants: str = Field(
        "",
        description="Which tenant each helpdesk's tickets belong to, for example `folder=acme,generic=beta`. "
        "A helpdesk that is not named belongs to the tenant `default`.",
    )
    draft_visibility: str = Field(
        "public", description="Classes of documents a draft to a customer may rest on, with commas."
    )
    ask_visibility: str = Field(
        "public,internal", description="Classes of documents that colleagues who ask are answered from, with commas."
    )
    ask_tenant: str = Field(
        DEFAULT_TENANT, description="Tenant whose documents people who ask in the web interface are answered from."
    )
    ask_max_files: int = Field(20, ge=1, le=1000, description="Files one question may bring along (`ask --docs`).")
    ask_max_bytes: int = Field(20_000_000, ge=1_000, description="Size of these files together, in bytes.")

    # Elasticsearch (docs/connectors/elasticsearch.md)
    elasticsearch_url: str = Field(
        "",
        description="Addresses of the cluster's nodes, with scheme and port, with commas. Empty: the lexical index is "
        "embedded in the data folder.",
    )
    elasticsearch_user: str = Field("", description="Elasticsearch: user for basic authentication.")
    elasticsearch_password: SecretStr | None = Field(None, description="Elasticsearch: that user's password.")
    elasticsearch_api_key: SecretStr | None = Field(None, description="Elasticsearch: API key, instead of a user.")
    elasticsearch_ca_file: Path | None = Field(
        None,
        description="Elasticsearch: PEM file of the authority its certificates are signed by. Empty: the system's.",
    )
    elasticsearch_prefix: str = Field(
        "citedesk-",
        pattern="^[a-z0-9][a-z0-9_-]*$",
        max_length=100,
        description="Elasticsearch: how the names of our indexes begin.",
    )
    elasticsearch_timeout_s: float = Field(10, gt=0, description="Elasticsearch: seconds a request may take.")
    elasticsearch_shards: int = Field(1, ge=1, le=1024, description="Elasticsearch: primary shards of each index.")
    vector_index: str = Field(
        "chroma",
        pattern="^(chroma|elasticsearch)$",
        description="Dense index: `chroma` in the data folder, or `elasticsearch`.",
    )
    elasticsearch_neighbours: str = Field(
        "hnsw",
        pattern="^(exact|hnsw)$",
        description="Elasticsearch as dense index: `hnsw` (a graph, fast), or `exact` (every vector compared).",
    )

    condense_logs: bool = Field(
        True, description="Whether long logs and tracebacks of a ticket are reduced to their telling lines for search."
    )
    query_domains: str = Field(
        "",
        description="Classes of tickets of this installation with their cue words, for example "
        "`proposals: proposal, phase 1; archive: download, raw data`. Built in are identifiers, error, account, "
        "policy, how-to and other.",
    )
    class_weights: str = Field(
        "",
        description="What changes for a class: `dense` (weight of the dense run), `docs` and `tickets` (factor of that "
        "kind's weight), for example `error: dense 0.6, tickets 1.5`. Empty: all classes alike.",
    )
    rank_documents: bool = Field(
        True, description="Whether the words of whole documents decide between documents. Off: best passages only."
    )
    opening_weight: Share = Field(
        0.1, description="Weight of the likeness to a document's title and first words, beside 1 for the rest. 0: off."
    )
    centre: Share = Field(
        0.5, description="Share of a collection's mean vector taken away before vectors are compared. 0: off."
    )
    vote_weight: float = Field(
        0.4, ge=0, description="Weight of the votes of solved tickets for the documents that solved them. 0: off."
    )
    mmr_lambda: Share = Field(
        1.0, description="Weight of relevance against redundancy among the first passages (MMR). 1: off."
    )
    mmr_k: int = Field(3, ge=1, le=100, description="First passages that MMR chooses, from 50.")
    pagerank_k: int = Field(
        0, ge=0, le=200, description="First passages that are ordered by how they support each other. 0: off."
    )
    pagerank_tau: Share = Field(0.01, description="Cosine from which two passages support each other.")
    reranker: str = Field(
        "",
        description="A cross-encoder that orders the first passages anew: a local folder, or a Hugging Face id that is "
        "in the local cache, such as BAAI/bge-reranker-base. Empty: off.",
    )
    rerank_depth: int = Field(20, ge=1, le=200, description="First passages that the cross-encoder orders.")
    rerank_share: Share = Field(
        1.0, description="Weight of the cross-encoder's scores; the fused scores of these passages have the rest."
    )
    ranker: Path | None = Field(
        None,
        description="Folder of a ranker that `citedesk reranker train` learned from your own judgements. Empty: off.",
    )
    exact_search_passages: int = Field(
        20_000,
        ge=0,
        description="Passages up to which a collection's vectors are held in memory and compared one by one; larger "
        "ones are searched approximately (HNSW).",
    )

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

    @field_validator("draft_visibility", "ask_visibility")
    @classmethod
    def _is_list_of_classes(cls, value: str) -> str:
        if not _usable(visibilities, value):
            raise ValueError("it names no class")
        return value

    @field_validator("ask_tenant")
    @classmethod
    def _is_tenant(cls, value: str) -> str:
        _usable(lasting_tenant, value)
        return value

    @field_validator("query_domains")
    @classmethod
    def _is_list_of_domains(cls, value: str) -> str:
        _usable(parse_domains, value)
        return value

    @field_validator("class_weights")
    @classmethod
    def _is_list_of_weights(cls, value: str) -> str:
        _usable(parse_weights, value)
        return value

    @field_validator("connector_tenants")
    @classmethod
    def _is_list_of_pairs(cls, value: str) -> str:
        _usable(tenants_by_connector, value)
        return value

    def tenant_of(self, connector: str) -> str:
        """Whose tickets a helpdesk has."""
        return tenants_by_connector(self.connector_tenants).get(connector, DEFAULT_TENANT)

    def customers_of(self, connector: str) -> Audience:
        """Who reads the replies to a helpdesk's tickets."""
        return Audience(self.tenant_of(connector), visibilities(self.draft_visibility))

    def colleagues(self, tenant: str = "") -> Audience:
        """Who asks without a ticket; `tenant` if another than usual. Raises `BadInput` for an unusable name."""
        return Audience(tenant or self.ask_tenant, visibilities(self.ask_visibility))

    @property
    def store_url(self) -> str:
        return self.database_url or f"sqlite:///{(self.data_dir / 'citedesk.db').resolve()}"

    @property
    def public_url(self) -> str:
        return (self.base_url or f"http://{self.host}:{self.port}").rstrip("/")


def _usable(read: Callable[[str], Sized], value: str) -> int:
    """How many names the setting has. Raises `ValueError`, as its library wants it."""
    try:
        return len(read(value))
    except BadInput as error:
        raise ValueError(f"{error.message} {error.hint}".strip()) from error


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


def variable(name: str) -> str:
    """The value of an environment variable whose name somebody gave a command; empty when it is not set."""
    return os.environ.get(name, "")


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
