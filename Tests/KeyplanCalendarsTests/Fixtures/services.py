#!/usr/bin/env python3
"""Fakes of Google Calendar v3 and of Microsoft Graph's calendars: no service of anybody, but as strict as those are about
what they document. Prints its port; ends when its standard input does.

Access tokens: `good`; `narrow` lacks the scope; any other is not valid."""

import json
import re
import sys
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit


class Refused(Exception):
    def __init__(self, status, body, headers=None):
        self.status, self.body, self.headers = status, body, headers or {}


def moment(text):
    # Google wants an offset; Graph takes none for UTC.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def month():
    start = datetime(2026, 11, 1, tzinfo=timezone.utc)
    for number in range(1000):
        begin = start + timedelta(minutes=40 * number)
        yield f"m{number}", f"Event {number}", begin, begin + timedelta(minutes=30)


# --- Google ----------------------------------------------------------------------------------------------------------


def google_error(status, reason, message, domain="global", **more):
    part = {"domain": domain, "reason": reason, "message": message, **more}
    return Refused(status, {"error": {"errors": [part], "code": status, "message": message}})


GOOGLE_CALENDARS = [
    {"id": "ada@gmail.com", "summary": "ada@gmail.com", "primary": True, "accessRole": "owner"},
    {"id": "month@group.calendar.google.com", "summary": "Month", "accessRole": "reader"},
    {"id": "team/1@group.calendar.google.com", "summary": "contoso", "summaryOverride": "Team", "accessRole": "writer"},
    {"id": "gone@group.calendar.google.com", "summary": "Gone", "deleted": True, "accessRole": "reader"},
] + [
    {"id": f"c{number}@group.calendar.google.com", "summary": f"Calendar {number}", "accessRole": "reader"}
    for number in range(300)
]
for entry in GOOGLE_CALENDARS:
    entry.update(kind="calendar#calendarListEntry", etag='"1"', timeZone="Europe/Berlin")


def google_event(id, summary, start, end, **more):
    event = {"kind": "calendar#event", "etag": '"1"', "id": id, "status": "confirmed", "start": start, "end": end}
    return {**event, **({"summary": summary} if summary else {}), **more}


GOOGLE_EVENTS = {
    "month@group.calendar.google.com": [
        google_event(
            id, title, {"dateTime": begin.isoformat(), "timeZone": "Europe/Berlin"},
            {"dateTime": end.isoformat(), "timeZone": "Europe/Berlin"}, description="x" * 2000)
        for id, title, begin, end in month()
    ],
    "team/1@group.calendar.google.com": [
        google_event(
            "e1", "Planning", {"dateTime": "2026-11-02T09:00:00+01:00", "timeZone": "Europe/Berlin"},
            {"dateTime": "2026-11-02T10:00:00+01:00", "timeZone": "Europe/Berlin"}, location="Room 1"),
        google_event("e2", "Offsite", {"date": "2026-11-03"}, {"date": "2026-11-05"}),
        google_event("e3", None, {"dateTime": "2026-11-30T23:30:00Z"}, {"dateTime": "2026-12-01T00:30:00Z"}),
    ],
}
GOOGLE_CHANGES = [
    google_event("e2", "Offsite, shorter", {"date": "2026-11-03"}, {"date": "2026-11-04"}),
    {"kind": "calendar#event", "etag": '"2"', "id": "e1", "status": "cancelled"},
]
NOT_WITH_SYNC_TOKEN = {
    "iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax", "updatedMin"}


def google(path, query, token):
    if token == "narrow":
        raise google_error(403, "insufficientPermissions", "Insufficient Permission")
    if token != "good":
        raise google_error(
            401, "authError", "Invalid Credentials", locationType="header", location="Authorization")
    size = int(query.get("maxResults", 0))
    if path == "users/me/calendarList":
        items = GOOGLE_CALENDARS if query.get("showDeleted") == "true" else [
            entry for entry in GOOGLE_CALENDARS if not entry.get("deleted")]
        return google_page("calendar#calendarList", items, query, min(size or 100, 250), "list-1")
    match = re.fullmatch("calendars/([^/]+)/events", path)
    events = GOOGLE_EVENTS.get(unquote(match[1])) if match else None
    if events is None:
        raise google_error(404, "notFound", "Not Found")
    if query.get("orderBy") == "startTime" and query.get("singleEvents") != "true":
        raise google_error(400, "badRequest", "The requested ordering is not available for the particular query.")
    if "syncToken" in query:
        if NOT_WITH_SYNC_TOKEN & query.keys():
            raise google_error(400, "badRequest", "Sync token cannot be used with the following query restrictions")
        if query["syncToken"] != "sync-1":
            raise google_error(
                410, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.",
                domain="calendar", locationType="parameter", location="syncToken")
        return google_page("calendar#events", GOOGLE_CHANGES, query, 1, "sync-2")
    bounds = [moment(query[name]) for name in ("timeMin", "timeMax") if name in query]
    if any(bound.tzinfo is None for bound in bounds):
        raise google_error(400, "badRequest", "Bad Request")
    if len(bounds) == 2:
        if bounds[0] >= bounds[1]:
            raise google_error(400, "timeRangeEmpty", "The specified time range is empty.", domain="calendar")
        events = [event for event in events if within(event, *bounds)]
    sync = None if "orderBy" in query else "sync-1"
    return google_page("calendar#events", events, query, min(size or 250, 2500), sync)


def within(event, low, high):
    def at(time):
        return moment(time["dateTime"]) if "dateTime" in time else moment(time["date"] + "T00:00:00Z")

    return at(event["end"]) > low and at(event["start"]) < high


def google_page(kind, items, query, size, sync):
    offset = int(query.get("pageToken", "page-0").removeprefix("page-"))
    page = {"kind": kind, "etag": '"p"', "items": items[offset:offset + size]}
    if offset + size < len(items):
        page["nextPageToken"] = f"page-{offset + size}"
    elif sync:
        page["nextSyncToken"] = sync
    return partial(page, query["fields"]) if "fields" in query else page


def partial(value, fields):
    """Google's partial answers: what is empty is left out altogether."""
    wanted = re.findall(r"([^,()]+)(?:\(([^()]*)\))?", fields)
    result = {}
    for name, inner in wanted:
        part = value.get(name)
        if inner:
            part = [partial(item, inner) for item in part or []]
        if part or part is False:
            result[name] = part
    return result


# --- Graph -----------------------------------------------------------------------------------------------------------


def graph_error(status, code, headers=None, **inner):
    inner = {"date": "2026-11-21T09:00:00", "request-id": "0", "client-request-id": "0", **inner}
    return Refused(status, {"error": {"code": code, "message": "Words.", "innerError": inner}}, headers)


GRAPH_CALENDARS = [
    {"id": "AAMk/main==", "name": "Calendar", "isDefaultCalendar": True, "canEdit": True,
     "owner": {"name": "Ada", "address": "ada@contoso.com"}},
    {"id": "AAMkMonth=", "name": "Month", "isDefaultCalendar": False, "canEdit": False},
] + [
    {"id": f"AAMk{number}=", "name": f"Calendar {number}", "isDefaultCalendar": False, "canEdit": False}
    for number in range(150)
]


GRAPH_PERSON = {
    "id": "48d31887-5fad-4d73-a9f5-3c356e68a038", "mail": "ada@contoso.com",
    "userPrincipalName": "al@contoso.onmicrosoft.com", "otherMails": ["ada@example.org"],
    "proxyAddresses": ["SMTP:ada@contoso.com", "smtp:countess@contoso.com"]}


def graph_time(time):
    return {"dateTime": time.strftime("%Y-%m-%dT%H:%M:%S.0000000"), "timeZone": "UTC"}


def graph_event(id, subject, begin, end, **more):
    return {
        "@odata.etag": 'W/"1"', "id": id, "subject": subject, "isAllDay": False, "type": "singleInstance",
        "originalStartTimeZone": "W. Europe Standard Time", "location": {"displayName": ""}, "start": graph_time(begin),
        "end": graph_time(end), "bodyPreview": "x" * 200, **more}


def at(text):
    return moment(text + "Z")


GRAPH_EVENTS = {
    "AAMkMonth=": [graph_event(*event) for event in month()],
    "AAMk/main==": [
        graph_event("g1", "Planning", at("2026-11-02T08:00"), at("2026-11-02T09:00"), location={"displayName": "Room 1"}),
        graph_event(
            "g2", "Offsite", at("2026-11-03T00:00"), at("2026-11-05T00:00"), isAllDay=True, originalStartTimeZone="UTC"),
        graph_event(
            "g4", "Standup", at("2026-11-06T08:00"), at("2026-11-06T08:15"), type="occurrence", seriesMasterId="g3"),
    ],
}
# Where changes are told, instances do not repeat what their series says.
GRAPH_DELTA = GRAPH_EVENTS["AAMk/main=="][:2] + [
    graph_event("g3", "Standup", at("2026-01-01T08:00"), at("2026-01-01T08:15"), type="seriesMaster"),
    {"@odata.type": "#microsoft.graph.event", "id": "g4", "type": "occurrence", "seriesMasterId": "g3",
     "start": graph_time(at("2026-11-06T08:00")), "end": graph_time(at("2026-11-06T08:15"))},
]
GRAPH_CHANGES = [
    {"@removed": {"reason": "deleted"}, "id": "g1"},
    {"@removed": {"reason": "deleted"}, "id": "of-another-month"},
]


def graph(path, query, token, prefer, root):
    if token == "narrow":
        raise graph_error(403, "ErrorAccessDenied")
    if token != "good":
        raise graph_error(401, "InvalidAuthenticationToken")
    preferences = dict(re.findall(r'([a-z.-]+)="?([^",]*)"?', prefer))
    address = f"{root}/{path}"
    path = re.sub("^users/[^/]+/", "me/", path)
    if path == "me":
        if GRAPH_PERSON is None:
            raise graph_error(403, "Authorization_RequestDenied")
        return select(GRAPH_PERSON, query)
    if path == "me/calendars":
        return graph_page(GRAPH_CALENDARS, query, int(query.get("$top", 10)), address)
    # Microsoft's own client calls it as a function.
    if path.removesuffix("()") == "me/calendarView/delta":
        if {"$select", "$filter", "$orderby", "$expand", "$search"} & query.keys():
            raise graph_error(400, "ErrorInvalidUrlQuery")
        return graph_delta(query, int(preferences.get("odata.maxpagesize", 10)), address)
    match = re.fullmatch("me/calendars/([^/]+)/calendarView", path)
    events = GRAPH_EVENTS.get(unquote(match[1])) if match else None
    if events is None:
        raise graph_error(404, "ErrorItemNotFound")
    low, high = graph_bounds(query)
    events = [
        event for event in events
        if at(event["end"]["dateTime"][:19]) > low and at(event["start"]["dateTime"][:19]) < high]
    return graph_page(events, query, int(query.get("$top", 10)), address)


def graph_bounds(query):
    if not {"startDateTime", "endDateTime"} <= query.keys():
        raise graph_error(400, "ErrorInvalidParameter")
    low, high = moment(query["startDateTime"]), moment(query["endDateTime"])
    if low >= high:
        raise graph_error(400, "ErrorInvalidTimeInterval")
    return low, high


def graph_page(items, query, size, address):
    if not 1 <= size <= 1000:
        raise graph_error(400, "ErrorInvalidUrlQuery")
    offset = int(query.get("$skip", 0))
    page = {"@odata.context": "…", "value": [select(item, query) for item in items[offset:offset + size]]}
    if offset + size < len(items):
        fields = {**query, "$skip": str(offset + size)}
        page["@odata.nextLink"] = address + "?" + "&".join(f"{name}={quote(value)}" for name, value in fields.items())
    return page


def select(item, query):
    wanted = query["$select"].split(",") if "$select" in query else item
    return {name: value for name, value in item.items() if name in wanted or name.startswith("@")}


def graph_delta(query, size, address):
    if "$deltatoken" in query:
        if query["$deltatoken"] == "moved":
            raise Refused(410, None, {"Location": address})
        if query["$deltatoken"] != "delta-1":
            raise graph_error(410, "SyncStateNotFound")
        return {"value": GRAPH_CHANGES, "@odata.deltaLink": f"{address}?$deltatoken=delta-2"}
    if "$skiptoken" not in query:
        graph_bounds(query)
    # Pages may be empty: the first one is.
    offset = int(query.get("$skiptoken", -1))
    page = {"value": GRAPH_DELTA[offset:offset + size] if offset >= 0 else []}
    offset = offset + size if offset >= 0 else 0
    more = offset < len(GRAPH_DELTA)
    link = f"$skiptoken={offset}" if more else "$deltatoken=delta-1"
    page["@odata.nextLink" if more else "@odata.deltaLink"] = f"{address}?{link}"
    return page


# --- The server ------------------------------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        status, headers = 200, {}
        try:
            if parts.path.startswith("/calendar/v3/"):
                body = google(parts.path.removeprefix("/calendar/v3/"), query, token)
            elif parts.path.startswith("/v1.0/"):
                root = f"http://{self.headers['Host']}/v1.0"
                body = graph(parts.path.removeprefix("/v1.0/"), query, token, self.headers.get("Prefer", ""), root)
            else:
                raise Refused(404, None)
        except Refused as refused:
            status, body, headers = refused.status, refused.body, refused.headers
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Handler.wbufsize = -1
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
