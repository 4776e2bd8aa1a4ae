#!/usr/bin/env python3
"""Judges the fake of Microsoft Graph with Microsoft's own Python client, and what it answers with its generated models.
Usage: judge_graph.py http://127.0.0.1:PORT"""

import asyncio
import dataclasses
import json
import sys

import httpx
from kiota_abstractions.api_error import APIError
from kiota_abstractions.authentication import (
    AccessTokenProvider, AllowedHostsValidator, BaseBearerTokenAuthenticationProvider)
from kiota_abstractions.base_request_configuration import RequestConfiguration
from kiota_abstractions.serialization import Parsable
from kiota_serialization_json.json_serialization_writer_factory import JsonSerializationWriterFactory
from msgraph import GraphRequestAdapter, GraphServiceClient
from msgraph.generated.models.calendar import Calendar
from msgraph.generated.models.event import Event
from msgraph.graph_request_adapter import options
from msgraph_core import GraphClientFactory

root = sys.argv[1]
answered = []
# OData's own, which are in no model.
ANNOTATIONS = {"@odata.context", "@odata.etag", "@removed"}


class Token(AccessTokenProvider):
    def __init__(self, token):
        self.token = token

    async def get_authorization_token(self, uri, additional_authentication_context={}):
        return self.token

    def get_allowed_hosts_validator(self):
        return AllowedHostsValidator([])


async def note(response):
    body = await response.aread()
    answered.append(json.loads(body) if body else None)


def client(token):
    through = GraphClientFactory.create_with_default_middleware(
        client=httpx.AsyncClient(event_hooks={"response": [note]}, trust_env=False, timeout=120), options=options)
    adapter = GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Token(token)), through)
    adapter.base_url = root + "/v1.0"
    return GraphServiceClient(request_adapter=adapter).me


def same(left, right):
    assert left == right, (left, right)


def known(model, path):
    """Fields that a model does not know are kept apart in it."""
    for name in model.additional_data:
        assert name in ANNOTATIONS, f"{path}.{name} is not Microsoft's"
    for field in dataclasses.fields(model):
        value = getattr(model, field.name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Parsable):
                known(part, f"{path}.{field.name}")


def kept(sent, back, path):
    """What is of another type, or no value of an enumeration, does not come out of a model as it went in."""
    if isinstance(sent, dict) and isinstance(back, dict):
        for name, part in sent.items():
            assert name in back, f"{path}.{name} is not as Microsoft's: {part!r}"
            kept(part, back[name], f"{path}.{name}")
    elif isinstance(sent, list) and isinstance(back, list):
        assert len(sent) == len(back), path
        for part, other in zip(sent, back):
            kept(part, other, path + "[]")
    else:
        assert type(sent) is type(back) and sent == back, f"{path} is not as Microsoft's: {sent!r}, {back!r}"


def taken(model):
    path = type(model).__name__
    known(model, path)
    writer = JsonSerializationWriterFactory().get_serialization_writer("application/json")
    model.serialize(writer)
    kept(answered[-1], json.loads(writer.get_serialized_content()), path)
    return model


async def pages(builder, prefer="", **query):
    items, sizes = [], []
    while True:
        configuration = RequestConfiguration()
        configuration.headers.add("Prefer", prefer or "odata.maxpagesize=2")
        if query:
            parameters = getattr(type(builder), type(builder).__name__ + "GetQueryParameters")
            configuration.query_parameters = parameters(**query)
        page = taken(await builder.get(request_configuration=configuration))
        items += page.value
        sizes.append(len(page.value))
        if not page.odata_next_link:
            return items, sizes, getattr(page, "odata_delta_link", None)
        builder, query = builder.with_url(page.odata_next_link), {}


async def refused(builder, **query):
    try:
        await pages(builder, **query)
    except APIError as error:
        return error.response_status_code, taken(error).error.code if answered[-1] else None
    raise AssertionError(f"{query} was not refused")


MAIN, MONTH = "AAMk/main==", "AAMkMonth="
NOVEMBER = {"start_date_time": "2026-11-01T00:00:00Z", "end_date_time": "2026-12-01T00:00:00Z"}
# What keyplan asks for.
CALENDAR = "id,name,canEdit,isDefaultCalendar".split(",")
EVENT = "id,subject,location,start,end,isAllDay,originalStartTimeZone,type,seriesMasterId".split(",")


async def judge():
    me = client("good")

    def view(calendar, me=me):
        return me.calendars.by_calendar_id(calendar).calendar_view

    items, sizes, _ = await pages(me.calendars, top=100, select=CALENDAR)
    same((sizes, items[0].id), ([100, 52], MAIN))
    same([item.is_default_calendar for item in items[:2]], [True, False])
    # Few, because that client is slow.
    days = {**NOVEMBER, "end_date_time": "2026-11-03T00:00:00Z"}
    items, sizes, _ = await pages(view(MONTH), top=50, orderby=["start/dateTime"], select=EVENT, **days)
    same((sizes, items[71].id), ([50, 22], "m71"))
    # As they are, without a choice of fields.
    items, _, _ = await pages(view(MAIN), top=500, **NOVEMBER)
    same([(item.id, item.type.value) for item in items], [
        ("g1", "singleInstance"), ("g2", "singleInstance"), ("g4", "occurrence")])

    feed = me.calendar_view.delta
    items, sizes, link = await pages(feed, **NOVEMBER)
    same((sizes, [item.id for item in items]), ([0, 2, 2], ["g1", "g2", "g3", "g4"]))
    same([type(item) for item in items], [Event] * 4)
    items, _, _ = await pages(feed.with_url(link))
    same([item.additional_data["@removed"] for item in items], [{"reason": "deleted"}] * 2)

    same(await refused(feed.with_url(link.replace("delta-1", "old"))), (410, "SyncStateNotFound"))
    same(await refused(feed.with_url(link.replace("delta-1", "moved"))), (410, None))
    same(await refused(feed, select=EVENT, **NOVEMBER), (400, "ErrorInvalidUrlQuery"))
    same(await refused(view(MAIN), top=1001, **NOVEMBER), (400, "ErrorInvalidUrlQuery"))
    same(await refused(view("gone"), **NOVEMBER), (404, "ErrorItemNotFound"))
    same(await refused(client("narrow").calendars), (403, "ErrorAccessDenied"))
    same(await refused(client("none").calendars), (401, "InvalidAuthenticationToken"))

    for model, names in [(Calendar(), CALENDAR), (Event(), EVENT)]:
        assert set(names) <= model.get_field_deserializers().keys(), type(model)


asyncio.run(judge())
print("as Microsoft's")
