#!/usr/bin/env python3
"""Writes keyplan's man pages from its own help: man-pages.py PROGRAM DIRECTORY

Asks the program for its help as a tree (--experimental-dump-help), and makes keyplan.1 and one page for each command, such as
keyplan-plan.1 and keyplan-keys-set.1. Same program, same bytes. The only words that are not the help's own are the headings.
"""
import json, pathlib, re, subprocess, sys

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
tool = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def text(words):
    """Words as roff: nothing in them is a request, and a hyphen stays one that can be copied."""
    words = words.replace("\\", "\\(rs").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    words = words.replace("^", "\\(ha").replace("~", "\\(ti")
    words = "".join(c if ord(c) < 128 else "\\[u%04X]" % ord(c) for c in words)
    return "\n".join("\\&" + line if line.startswith((".", "\\(aq")) else line for line in words.split("\n"))


def prose(words):
    """Paragraphs as they are; indented lines as examples."""
    out, indented = [], False
    for line in words.split("\n"):
        if line.startswith("  ") != indented:
            indented = not indented
            out.append(".PP\n.RS 4\n.nf" if indented else ".fi\n.RE\n.PP")
        out.append(text(line.strip() if not re.match(r" +\d+  ", line) else line) if line.strip() else ".PP")
    return "\n".join(out + ([".fi\n.RE"] if indented else [])) + "\n"


def option(argument):
    """An option's or argument's names with its value, and what it means."""
    value = "\\fI" + text(argument.get("valueName", "")) + "\\fR"
    names = [("-" if n["kind"] == "short" or n["kind"] == "longWithSingleDash" else "--") + n["name"] for n in argument.get("names", [])]
    names.sort(key=lambda name: (name.startswith("--"), name))
    bold = ", ".join("\\fB" + text(name) + "\\fR" for name in names)
    term = {"flag": bold, "option": bold + " " + value, "positional": value}[argument["kind"]]
    words = [argument.get("abstract", "")]
    if argument.get("allValues") or argument.get("allValueStrings"):
        words.append("One of " + ", ".join(argument.get("allValues") or argument.get("allValueStrings")) + ".")
    if argument.get("defaultValue"):
        words.append("Default: " + argument["defaultValue"] + ".")
    return ".TP\n" + term + "\n" + text(" ".join(w for w in words if w)) + "\n"


def synopsis(name, command):
    """The command with what it takes: options as a whole, arguments by name."""
    parts = ["\\fB" + text(" ".join(name)) + "\\fR"]
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    if any(a["kind"] != "positional" for a in shown):
        parts.append("[\\fIoptions\\fR]")
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR")
    for argument in shown:
        if argument["kind"] == "positional":
            word = "\\fI" + text(argument["valueName"]) + "\\fR" + (" ..." if argument.get("isRepeating") else "")
            parts.append("[" + word + "]" if argument.get("isOptional") else word)
    return " ".join(parts) + "\n"


def page(name, command, parents):
    title = "-".join(name)
    about, _, codes = command.get("discussion", "").partition("\n\nExit codes:\n")
    about, _, examples = about.partition("For example:\n")
    out = f'.TH {text(title).upper()} 1 "" "keyplan {text(version)}" "keyplan"\n.nh\n.ad l\n'
    out += ".SH NAME\n" + text(title) + " \\- " + text(command["abstract"].split("\n")[0].rstrip(".")) + "\n"
    out += ".SH SYNOPSIS\n" + synopsis(name, command)
    if about.strip():
        out += ".SH DESCRIPTION\n" + prose(about.strip())
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    for heading, wanted in (("ARGUMENTS", True), ("OPTIONS", False)):
        chosen = [option(a) for a in shown if (a["kind"] == "positional") == wanted]
        if chosen:
            out += f".SH {heading}\n" + "".join(chosen)
    commands = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
    if commands:
        out += ".SH COMMANDS\n"
        for inner in commands:
            out += ".TP\n.BR " + text(title + "-" + inner["commandName"]) + " (1)\n" + text(inner["abstract"]) + "\n"
    if examples.strip():
        out += ".SH EXAMPLES\n.nf\n" + text("\n".join(line.strip() for line in examples.strip().split("\n"))) + "\n.fi\n"
    out += ".SH EXIT STATUS\n"
    for line in (codes or root_codes).strip("\n").split("\n"):
        code, meaning = line.split(None, 1)
        out += f".TP 6\n.B {code}\n{text(meaning)}\n"
    related = [p + " (1)" for p in parents] or ["age (1)"]
    out += ".SH SEE ALSO\n" + ",\n".join(".BR " + text(r) for r in related).replace(",\n.BR", " ,\n.BR") + "\n"
    (directory / f"{title}.1").write_text(out)
    for inner in commands:
        page(name + [inner["commandName"]], inner, parents + [title])


root_codes = tool["command"]["discussion"].partition("\n\nExit codes:\n")[2]
directory.mkdir(parents=True, exist_ok=True)
page([tool["command"]["commandName"]], tool["command"], [])
