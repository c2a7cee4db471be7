"""Who is asking: sign in, sign out, and which pages a role may see."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import ParamSpec, TypeVar, cast
from urllib.parse import urlsplit

import structlog
from flask import Blueprint, Flask, current_app, g, redirect, render_template, request, session, url_for
from flask_login import LoginManager, current_user, login_user, logout_user
from werkzeug.wrappers import Response

from core.domain.account import Role, User
from core.errors import LoginFailed, PermissionDenied
from plugin.bootstrap import Services
from plugin.web.passwords import Passwords
from plugin.web.state import services
from plugin.web.throttle import LoginThrottle
from plugin.web.wanted import wants_json

blueprint = Blueprint("auth", __name__)
log = structlog.get_logger("citedesk.web")

THROTTLE = "citedesk.login_throttle"
PASSWORDS = "citedesk.passwords"
SIGNED_IN_AT = "signed_in_at"
RANK = {Role.AGENT: 1, Role.MANAGER: 2, Role.ADMINISTRATOR: 3}

P = ParamSpec("P")
R = TypeVar("R")


class SignedIn:
    """A `User` as Flask-Login wants it. The id in the cookie depends on the password: a new one ends old sessions."""

    is_authenticated = True
    is_active = True
    is_anonymous = False

    def __init__(self, account: User) -> None:
        self.account = account

    def get_id(self) -> str:
        seal = hashlib.sha256(self.account.password_hash.encode()).hexdigest()[:16]
        return f"{self.account.user_id}.{seal}"


def install(app: Flask, services: Services, passwords: Passwords) -> None:
    """Flask-Login, the throttle, and `signed_in()` for templates."""
    app.extensions[PASSWORDS] = passwords
    LoginManager(app, add_context_processor=False).user_loader(_load)
    app.extensions[THROTTLE] = LoginThrottle(services.settings.login_attempts, services.clock)
    app.context_processor(lambda: {"signed_in": signed_in})


def signed_in() -> User | None:
    """The person asking; None for nobody. The account is read once a request, so a disabled one is out at once."""
    return current_user.account if current_user.is_authenticated else None


def already_known() -> User | None:
    """The person asking if this request has found out; never asks the store, which may be what is down."""
    known = g.get("_login_user")
    return known.account if isinstance(known, SignedIn) else None


def me() -> User:
    """The person asking. Raises `LoginFailed` for nobody."""
    account = signed_in()
    if account is None:
        raise LoginFailed("You are signed out.", hint="Sign in again.")
    return account


def requires(role: Role) -> Callable[[Callable[P, R]], Callable[P, R | Response]]:
    """Only for people with this role or a higher one. Others get 403; nobody is asked to sign in first."""

    def decorate(view: Callable[P, R]) -> Callable[P, R | Response]:
        @wraps(view)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R | Response:
            if signed_in() is None and request.method == "GET" and not wants_json():
                return redirect(url_for("auth.ask", next=request.full_path.rstrip("?")), 303)
            if RANK[me().role] < RANK[role]:
                raise PermissionDenied(f"This page is for the role {role} and above.")
            return view(*args, **kwargs)

        return guarded

    return decorate


@blueprint.get("/login")
def ask() -> str | Response:
    target = safe_target(request.args.get("next", ""))
    if signed_in():
        return redirect(target, 303)
    return render_template("login.html", login="", target=target, problem="")


@blueprint.post("/login")
def sign_in() -> tuple[str, int] | Response:
    login, address = request.form.get("login", "").strip().lower(), request.remote_addr or ""
    target = safe_target(request.form.get("next", ""))
    throttle = cast(LoginThrottle, current_app.extensions[THROTTLE])
    throttle.admit(login, address)
    try:
        account = authenticate(login, request.form.get("password", ""))
    except LoginFailed as error:
        log.info("sign-in refused", address=address)
        return render_template("login.html", login=login, target=target, problem=error.message), 401
    throttle.succeeded(login, address)
    _begin_session(account)
    return redirect(target, 303)


@blueprint.post("/logout")
def sign_out() -> Response:
    logout_user()
    session.clear()
    return redirect(url_for("auth.ask"), 303)


def authenticate(login: str, password: str) -> User:
    """The account. Raises `LoginFailed`, after the same work and with the same words whatever was wrong."""
    with services().uow() as tx:
        account = tx.users.by_login(login)
    passwords = _passwords()
    right = passwords.verify(password, account.password_hash) if account else passwords.pretend(password)
    if account is None or account.disabled or not right:
        raise LoginFailed("Login or password is wrong.")
    return _with_todays_hash(account, password) if passwords.needs_rehash(account.password_hash) else account


def safe_target(target: str) -> str:
    """Where to go after signing in: an address of this site, else the queue.

    >>> safe_target("/drafts/1?tab=2")
    '/drafts/1?tab=2'
    >>> safe_target("//evil.example"), safe_target("/\\\\evil.example"), safe_target("https://evil.example")
    ('/queue', '/queue', '/queue')
    """
    try:
        parts = urlsplit(target)
    except ValueError:
        return "/queue"
    local = target.startswith("/") and not target.startswith("//") and not parts.scheme and not parts.netloc
    return target if local and target.isprintable() and "\\" not in target else "/queue"


def _passwords() -> Passwords:
    return cast(Passwords, current_app.extensions[PASSWORDS])


def _with_todays_hash(account: User, password: str) -> User:
    renewed = replace(account, password_hash=_passwords().hash(password))
    with services().uow() as tx:
        tx.users.save(renewed)
        tx.commit()
    return renewed


def _begin_session(account: User) -> None:
    """A new session: nothing of the one before signing in, nor its CSRF token, lives on."""
    session.clear()
    login_user(SignedIn(account))
    session.permanent = True
    session[SIGNED_IN_AT] = services().clock().timestamp()
    log.info("signed in", user=account.user_id)


def _load(session_id: str) -> SignedIn | None:
    """Who the cookie says it is, if the account is still theirs and the session not too old."""
    since = datetime.fromtimestamp(session.get(SIGNED_IN_AT, 0), UTC)
    if services().clock() - since > timedelta(hours=services().settings.session_hours):
        return None
    with services().uow() as tx:
        account = tx.users.get(session_id.rpartition(".")[0])
    if account is None or account.disabled:
        return None
    person = SignedIn(account)
    return person if person.get_id() == session_id else None
