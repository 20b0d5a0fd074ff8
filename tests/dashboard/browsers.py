"""A real browser, where there is one."""

import os
import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is missing")
SIZES = {"wide": (1100, 800), "narrow": (360, 740)}


@contextmanager
def chromium():
    """Run a browser; as root it has no sandbox of its own."""
    from playwright.sync_api import sync_playwright

    more = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=more)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser, size="wide", theme="light", script=True):
    """Open a page; whatever the browser complains about is in its ``complaints``."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=theme,
        java_script_enabled=script,
    )
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on(
        "console", lambda said: page.complaints.append(said.text) if said.type == "error" else 0
    )
    page.on("request", lambda asked: page.complaints.append(asked.url) if _away(asked.url) else 0)
    try:
        yield page
    finally:
        context.close()


def _away(address):
    return not address.startswith(("http://127.0.0.1:", "data:", "blob:"))
