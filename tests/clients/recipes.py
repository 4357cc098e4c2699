"""Runs the recipes that docs/recipes.md shows, each against a server of its own."""

import os
import re
import subprocess
from pathlib import Path

RECIPES = Path(__file__).resolve().parent.parent.parent / "docs" / "recipes.md"
RECIPE_SECONDS = 60
SHELL = ["bash", "-euo", "pipefail", "-c"]
LANGUAGES = ("sh", "python")
MOST_WANTED = 15


def recipes(document):
    """Language, title and text of each block, with the prelude of its language before the text."""
    preludes, title = {}, ""
    for match in re.finditer(r"^## ([^\n]+)$|^```(sh|python)( prelude)?\n(.*?)^```$", document, re.MULTILINE | re.DOTALL):
        heading, language, is_prelude, text = match.groups()
        if heading:
            title = heading
        elif is_prelude:
            preludes[language] = text
        else:
            yield language, title, preludes.get(language, "") + text


def check(binary, tally, python):
    """Runs them with the given interpreter, which has the stock client."""
    shown = set()
    interpreters = {"sh": SHELL, "python": [python, "-c"]}
    # Recipes call the program, and Python, by their names.
    path = os.pathsep.join([str(Path(binary).resolve().parent), str(Path(python).parent), os.environ.get("PATH", "")])
    for language, title, text in recipes(RECIPES.read_text()):
        shown.add((title, language))
        command = [binary, "exec", "--clock", "frozen", "--log", "warn", "--", *interpreters[language], text]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "PATH": path},
                timeout=RECIPE_SECONDS,
            )
            holds, report = done.returncode == 0, f"status {done.returncode}\n{done.stdout}"
        except subprocess.TimeoutExpired as late:
            holds, report = False, f"no end within {RECIPE_SECONDS} seconds\n{late.stdout}"
        tally.expect(holds, f"{title}, {language}", report)
    titles = {title for title, _ in shown}
    is_whole = len(titles) >= MOST_WANTED and len(shown) == len(titles) * len(LANGUAGES)
    tally.expect(is_whole, "every recipe is shown in each language", str(sorted(shown)))
