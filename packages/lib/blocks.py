"""The blocks of code of the documents."""

import re
import textwrap


def blocks(path, language):
    """The blocks of a language, also those within lists."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", path.read_text(), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(text) for _, text in found]
