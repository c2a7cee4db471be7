"""Takes the pictures of docs/images from a running demo: `python -m tools.screenshots --data var/demo`.

Start `citedesk demo` first and leave it running; Chromium must be at /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def signed_in(browser: Browser, address: str, login: str, password: str, width: int, scheme: str) -> Iterator[Page]:
    """A page of somebody who has signed in, `width` pixels wide, in the `light` or `dark` scheme."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{address}/login")
    page.get_by_label("Login").fill(login)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/queue*")
    yield page
    context.close()


def shoot(page: Page, name: str, *, whole: bool = False) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=str(IMAGES / f"{name}.png"), full_page=whole)


def draft_of(page: Page, address: str, subject: str) -> str:
    """The address of the draft whose row shows `subject`."""
    page.goto(f"{address}/queue?state=all")
    return address + str(page.get_by_role("link", name=subject).first.get_attribute("href"))


def take(browser: Browser, address: str, password: str) -> None:
    """All pictures; the tickets are the sample's."""
    agent, manager = "agent@example.org", "manager@example.org"
    with signed_in(browser, address, agent, password, 1280, "light") as page:
        shoot(page, "queue")
        review = draft_of(page, address, "Menu disappears")
        page.goto(review)
        shoot(page, "review")
        page.goto(draft_of(page, address, "Travel expenses"))
        shoot(page, "abstention")
    with signed_in(browser, address, agent, password, 400, "dark") as page:
        page.goto(review)
        shoot(page, "narrow-dark", whole=True)
    with signed_in(browser, address, manager, password, 1280, "dark") as page:
        page.goto(review.replace("/drafts/", "/audit/"))
        shoot(page, "story-dark")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", default="http://127.0.0.1:8080")
    parser.add_argument("--data", type=Path, default=Path("var/demo"))
    options = parser.parse_args()
    password = json.loads((options.data / "demo-secrets.json").read_text())["password"]
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        take(browser, options.address, password)
        browser.close()


if __name__ == "__main__":
    main()
