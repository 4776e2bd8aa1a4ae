#!/usr/bin/env python3
"""Judges the fake of a service with the vendor's own client: what keyplan wrote must be read by the client, and the
client writes what keyplan reads afterwards.

Usage: judge.py SERVICE ADDRESS TASK, where `judge_SERVICE.py` is beside this file. The task, as JSON:

    present   the names and values that keyplan wrote
    set       names and values that the client writes: new ones, and some that are present
    remove    names that the client removes
    absent    a name that does not exist
    hide      names that the client makes unreadable, if the service has that

The output is one line, "as the vendor's". Differences are written to standard error, and the exit code is 1.

A client has these methods, and `shows_values`, which is False where no value can be read:

    list()                    all names, with their values, or `None` where the service does not show them
    read(name)                the same of one name; `KeyError` if there is no such secret
    set(name, value, exists)  and remove(name), hide(name)
    fails()                   pairs of a failure's name and whether the client reported it
"""
import importlib
import json
import sys


class Difference(Exception):
    pass


def compare(found, expected, what):
    for name in sorted(found.keys() | expected.keys()):
        if name not in expected:
            raise Difference(f"{what}: {name} is there")
        if name not in found:
            raise Difference(f"{what}: {name} is missing")
        if found[name] != expected[name]:
            raise Difference(f"{what}: {name} is {found[name]!r} instead of {expected[name]!r}")


def check(client, expected, absent, what):
    """`expected` has `None` for values that the service does not show."""
    compare(client.list(), expected, f"{what}, the list")
    compare({name: client.read(name) for name in expected}, expected, f"{what}, one by one")
    try:
        raise Difference(f"{what}: {absent} is {client.read(absent)!r}, and must be missing")
    except KeyError:
        pass


def judge(client, task):
    def shown(values):
        return values if client.shows_values else dict.fromkeys(values)

    expected = dict(task["present"])
    check(client, shown(expected), task["absent"], "written by keyplan")
    for name, value in task["set"].items():
        client.set(name, value, name in expected)
        expected[name] = value
    for name in task["remove"]:
        client.remove(name)
        del expected[name]
    check(client, shown(expected), task["absent"], "written by the client")
    for name in task.get("hide", []):
        client.hide(name)
    for what, is_reported in client.fails():
        if not is_reported:
            raise Difference(f"{what} is not reported")


def main():
    name, address, task = sys.argv[1:]
    client = importlib.import_module("judge_" + name.replace("-", "_")).Client(address)
    try:
        judge(client, json.loads(task))
    except Difference as difference:
        sys.exit(f"{name}: {difference}")
    print("as the vendor's", flush=True)


if __name__ == "__main__":
    main()
