"""What both kinds of pages have in common."""

import pathlib

from .document import Failure, number_of, text_of
from .text import esc, short

MARK = '<meta name="generator" content="shadewood-bench-page">'  # in every page, by which it is known as one


def whole_page(title, body):
    folder = pathlib.Path(__file__).parent
    try:
        style, script = ((folder / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {error.strerror}") from None
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{MARK}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src \
'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{esc(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}</main>
<script>
{script}</script>
</body>
</html>
"""


def origin(document):
    """Date, version, device, driver, host and command of a document, as a list."""
    device, host = document.get("device"), document.get("host")
    processor, memory = text_of(host, "processor"), number_of(device, "memory_bytes")
    facts = {"date": document["date"], "Shadewood": document["shadewood"],
             "device": device["name"] if device is not None else "none", "driver": text_of(device, "driver"),
             "memory": f"{short(memory)}B, subgroups of {number_of(device, 'subgroup_size'):.0f}, Vulkan "
                       f"{text_of(device, 'api_version')}" if memory > 0 else "",
             "processors": f"{processor}, {number_of(host, 'processors'):.0f} in use" if processor else "",
             "system": text_of(host, "system")}
    made = "".join(f"<dt>{name}</dt><dd>{esc(value)}</dd>\n" for name, value in facts.items() if value)
    if text_of(document, "command"):
        made += f"<dt>command</dt><dd><code>{esc(document['command'])}</code></dd>\n"
    return f'<dl class="facts">\n{made}</dl>\n'
