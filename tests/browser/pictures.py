#!/usr/bin/env python3
"""pictures.py RICERCAR COMPILER FOLDER: takes the pictures of the page that the documents show."""

import os
import shutil
import subprocess
import sys
import tempfile

from webdriver import Browser

HERE = os.path.dirname(os.path.abspath(__file__))

# Name, keys: where it fails; dark, beside the execution that passes, where both part.
PICTURES = [("viewer-light.png", []), ("viewer-dark.png", ["d", "c"])]


def page_of_example(tool, compiler, folder):
    """The path of the page of the bug in the README."""
    shutil.copy(os.path.join(HERE, "../../examples/bounded_queue.cc"), folder)
    path = os.path.dirname(os.path.abspath(tool)) + os.pathsep + os.environ["PATH"]
    environment = dict(os.environ, PATH=path, RICERCAR_CXX=compiler)
    run = lambda *words, check=True: subprocess.run(
        ["ricercar", *words], cwd=folder, env=environment, stdout=subprocess.DEVNULL, timeout=120, check=check)
    run("c++", "-std=c++20", "-g", "bounded_queue.cc", "-o", "bounded_queue")
    run("run", "--html", ".", "./bounded_queue", check=False)
    return os.path.join(folder, "bug-1.html")


def take(page, path, keys):
    with Browser(width=1500, height=1080) as browser:
        browser.open("file://" + page)
        browser.wait_for("document.documentElement.dataset.ready === 'true'")
        for key in keys:
            browser.press(key)
        browser.screenshot(path)


def main():
    tool, compiler, documents = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        page = page_of_example(tool, compiler, folder)
        for name, keys in PICTURES:
            take(page, os.path.join(documents, name), keys)


if __name__ == "__main__":
    main()
