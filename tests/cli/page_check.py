#!/usr/bin/env python3
"""page_check.py PAGE REPORT...: whether a page of the bench is well-formed HTML with well-formed SVG in it, needs nothing from a network, and has every
row of the reports."""
import json
import re
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Checker(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.errors, self.ids, self.text = [], [], set(), []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(set(names)) != len(names):
            self.errors.append(f"{self.getpos()}: <{tag}> has an attribute twice")
        for name, value in attributes:
            if name.startswith("on"):
                self.errors.append(f"{self.getpos()}: <{tag}> has {name}")
            if name in ("src", "href") and not value.startswith("#"):
                self.errors.append(f"{self.getpos()}: <{tag}> refers to {value}")
            if name == "data-id":
                self.ids.add(value)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        if "svg" not in self.stack and tag not in VOID:
            self.errors.append(f"{self.getpos()}: <{tag}/> outside of SVG")

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.errors.append(f"{self.getpos()}: </{tag}> does not end what is open")

    def handle_data(self, data):
        self.text.append(data)


def faults(page, reports):
    """What is wrong with the text of a page about these reports, a line each."""
    checker = Checker()
    checker.feed(page)
    checker.close()
    errors = checker.errors
    if checker.stack:
        errors.append(f"never ended: {checker.stack}")
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        try:
            xml.etree.ElementTree.fromstring(svg)
        except xml.etree.ElementTree.ParseError as error:
            errors.append(f"SVG: {error}: {svg[:200]}")
    for address in re.findall(r"(?:https?:|//\w)[^\s\"'<]*", page.replace("http://www.w3.org/2000/svg", "")):
        errors.append(f"an address: {address}")
    if page.count("<script>") != 1 or page.count("<style>") != 1:
        errors.append("there is not exactly one script and one style")
    if "prefers-color-scheme: dark" not in page:
        errors.append("there is nothing for the dark")
    for report in reports:
        for row in report["rows"]:
            if row["id"] not in checker.ids:
                errors.append(f"no row {row['id']}")
    return errors


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        errors = faults(file.read(), [load(path) for path in sys.argv[2:]])
    for error in errors[:10]:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
