#!/usr/bin/env python3
"""Lists the suites that took longest, from swift-testing's event streams.

    slowest-suites.py COUNT FILE…

What swift-testing itself prints counts from the start of a suite, although its tests wait for a place among those that run at
once. Here each test case counts from its own start to its own end, and a suite takes the sum of its cases.
"""

import collections
import json
import sys


def main():
    count, files = int(sys.argv[1]), sys.argv[2:]
    names, spent = {}, collections.Counter()
    for path in files:
        began = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:  # the last line of a process that was ended
                    continue
                payload = record["payload"]
                if record["kind"] == "test":
                    names[payload["id"]] = payload.get("displayName", payload["name"])
                    continue
                if payload["kind"] not in ("testCaseStarted", "testCaseEnded"):
                    continue
                test = payload["testID"]
                case = test, json.dumps(payload.get("_testCase"))
                if payload["kind"] == "testCaseStarted":
                    began.setdefault(case, []).append(payload["instant"]["absolute"])
                elif began.get(case):
                    spent[test.split("/")[0]] += payload["instant"]["absolute"] - began[case].pop()
    for suite, seconds in spent.most_common(count):
        print(f"{seconds:8.1f} s  {names.get(suite, suite)} ({suite})")


if __name__ == "__main__":
    main()
