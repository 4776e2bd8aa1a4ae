#!/usr/bin/env python3
"""Judges the fake of Google Calendar v3 with Google's own Python client, and what it answers with Google's own schema.
Usage: judge_google.py http://127.0.0.1:PORT"""

import importlib.resources
import json
import re
import sys
from datetime import date, datetime

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

root = sys.argv[1]
document = json.loads(
    importlib.resources.files("googleapiclient.discovery_cache").joinpath("documents/calendar.v3.json").read_text())
schemas = document["schemas"]
kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
formats = {"date": date, "date-time": datetime}


def client(token):
    return build(
        "calendar", "v3", credentials=Credentials(token=token), static_discovery=True,
        client_options={"api_endpoint": root + "/calendar/v3/"})


def check(value, schema, path):
    schema = schemas[schema["$ref"]] if "$ref" in schema else schema
    assert type(value) is kinds[schema["type"]], (path, value)
    if schema.get("format") in formats:
        formats[schema["format"]].fromisoformat(value.replace("Z", "+00:00"))
    # Google tells the values of an enumeration in words.
    told = schema.get("description", "").partition("Possible values are:")[2]
    values = schema.get("enum") or re.findall(r'^- "(\w+)" - ', told, re.MULTILINE)
    if schema["type"] == "string" and "default" in schema:
        values = [*values, schema["default"]]
    assert not values or value in values, f"{path} is none of {values}: {value!r}"
    if schema["type"] == "object":
        for name, part in value.items():
            assert name in schema["properties"], f"{path}.{name} is not Google's"
            check(part, schema["properties"][name], f"{path}.{name}")
    elif schema["type"] == "array":
        for part in value:
            check(part, schema["items"], path + "[]")


def pages(resource, schema, **query):
    items, request = [], resource.list(**query)
    while request is not None:
        page = request.execute()
        check(page, {"$ref": schema}, schema)
        items += page.get("items", [])
        request = resource.list_next(request, page)
    return items, page.get("nextSyncToken")


def refused(token="good", **query):
    try:
        client(token).events().list(**query).execute()
    except HttpError as error:
        return error.status_code, error.error_details[0]["reason"]
    raise AssertionError(f"{query} was not refused")


def same(left, right):
    assert left == right, (left, right)


MONTH, TEAM = "month@group.calendar.google.com", "team/1@group.calendar.google.com"
NOVEMBER = {"timeMin": "2026-11-01T00:00:00Z", "timeMax": "2026-12-01T00:00:00Z"}
google = client("good")

items, _ = pages(google.calendarList(), "CalendarList", maxResults=250, showHidden=True)
same(len(items), 303)
items, sync = pages(
    google.events(), "Events", calendarId=MONTH, singleEvents=True, orderBy="startTime", maxResults=500,
    fields="kind,nextPageToken,nextSyncToken,items(id,status,summary,location,start,end)", **NOVEMBER)
same((len(items), sync), (1000, None))
items, sync = pages(google.events(), "Events", calendarId=TEAM, singleEvents=True, **NOVEMBER)
same([item["id"] for item in items], ["e1", "e2", "e3"])
items, sync = pages(google.events(), "Events", calendarId=TEAM, singleEvents=True, syncToken=sync)
same([(item["id"], item["status"]) for item in items], [("e2", "confirmed"), ("e1", "cancelled")])

same(refused(calendarId=TEAM, syncToken="old"), (410, "fullSyncRequired"))
same(refused(calendarId=TEAM, syncToken="sync-1", **NOVEMBER), (400, "badRequest"))
same(refused(calendarId=TEAM, orderBy="startTime"), (400, "badRequest"))
same(refused(calendarId="gone"), (404, "notFound"))
same(refused("narrow", calendarId=TEAM), (403, "insufficientPermissions"))

# What keyplan asks with and reads is Google's too.
for resource, schema, names in [
    ("calendarList", "CalendarListEntry", "id summary summaryOverride primary accessRole deleted"),
    ("events", "Event", "id status summary location start end"),
]:
    assert set(names.split()) <= schemas[schema]["properties"].keys(), schema
    known = document["resources"][resource]["methods"]["list"]["parameters"].keys() | document["parameters"].keys()
    wanted = "maxResults fields pageToken " + (
        "showHidden" if resource == "calendarList" else "singleEvents orderBy timeMin timeMax syncToken")
    assert set(wanted.split()) <= known, resource
print("as Google's")
