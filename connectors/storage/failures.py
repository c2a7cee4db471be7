"""What the database's own errors mean in our tree. Installed once on the engine, so no call site can forget it."""

from __future__ import annotations

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, IntegrityError

from core.errors import CitedeskError, Conflict, StorageFull, StoreUnavailable

DISK_FULL_SQLSTATE = "53100"
_FULL = ("disk is full", "no space left")
_BUSY = ("database is locked", "lock timeout")


def translate_errors_of(engine: Engine) -> None:
    """From now on connecting, executing, fetching and committing on this engine raise errors of our tree."""
    event.listen(engine, "handle_error", _translate, retval=True)


def _translate(context: ExceptionContext) -> CitedeskError | None:
    if isinstance(context.sqlalchemy_exception, DBAPIError):
        return _meaning(context.sqlalchemy_exception, context.original_exception)
    return None


def _meaning(error: DBAPIError, original: BaseException) -> CitedeskError:
    """Our own error; it names the kind of the original one, never its text, which may quote what was to be stored."""
    text = str(original).lower()
    if getattr(original, "sqlstate", None) == DISK_FULL_SQLSTATE or any(sign in text for sign in _FULL):
        return StorageFull("The disk that holds the database is full.")
    if isinstance(error, IntegrityError):
        return Conflict("The change contradicts what is stored already.")
    if any(sign in text for sign in _BUSY):
        return StoreUnavailable("The database is busy: another transaction holds it.")
    return StoreUnavailable(f"The database does not answer as it should ({type(original).__name__}).")
