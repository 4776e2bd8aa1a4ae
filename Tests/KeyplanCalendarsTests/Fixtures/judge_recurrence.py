"""What recurring-ical-events makes of calendar_events.py: one JSON object a line. Arguments: a seed, how many random rules."""

import datetime
import json
import sys
import zoneinfo

import icalendar
import recurring_ical_events

import calendar_events

UTC = datetime.timezone.utc
MARGIN = datetime.timedelta(days=3)


def written(time):
    if not isinstance(time, datetime.datetime):
        return f"{time:%Y-%m-%d}".rjust(10, "0")
    if time.tzinfo is None:
        return time.isoformat()
    return time.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def moment(time):
    if not isinstance(time, datetime.datetime):
        time = datetime.datetime(time.year, time.month, time.day)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)


def crosses_change(start, end):
    """Whether the clocks change in between: the length is then that of a clock here, and keyplan's is exact."""
    return isinstance(start, datetime.datetime) and start.tzinfo is not None and start.utcoffset() != end.utcoffset()


def is_skipped(time):
    """Whether no clock shows it, in a zone that icalendar makes of its definition: there it takes the later offset."""
    if not isinstance(time, datetime.datetime) or time.tzinfo in (None, UTC) or isinstance(time.tzinfo, zoneinfo.ZoneInfo):
        return False
    return time.astimezone(UTC).astimezone(time.tzinfo).replace(tzinfo=None) != time.replace(tzinfo=None)


def occurrences(text, low, high):
    """Nothing, if one of them is where the libraries are known to differ from RFC 5545."""
    calendar = icalendar.Calendar.from_ical(text)
    events = calendar.walk("VEVENT")
    series = [event for event in events if "RRULE" in event or "RDATE" in event]
    if not series and len(events) == 1:
        # A single event's end is as it is written; the other library counts it from the start.
        event = events[0]
        start = event["DTSTART"].dt
        if "DTEND" in event:
            return [answer(start, event["DTEND"].dt, event)]
    across = any("DTEND" in event and crosses_change(event["DTSTART"].dt, event["DTEND"].dt) for event in series)
    found = []
    for event in recurring_ical_events.of(calendar, components=["VEVENT"]).between(low - MARGIN, high + MARGIN):
        start, end = event["DTSTART"].dt, event["DTEND"].dt
        if is_skipped(start) or is_skipped(end):
            return None
        if str(event.get("STATUS", "")) == "CANCELLED":
            continue
        first, last = moment(start), moment(end)
        if not (first < high and (last > low or first == last >= low)):
            continue
        found.append(answer(start, None if series and (across or crosses_change(start, end)) else end, event))
    return sorted(found, key=lambda one: (one["start"], one["end"] or "", one["title"]))


def answer(start, end, event):
    return {"start": written(start), "end": end and written(end), "title": str(event.get("SUMMARY", ""))}


def main(seed, count):
    for name, section, text, low, high, expected in calendar_events.differences():
        low, high = low.replace(tzinfo=UTC), high.replace(tzinfo=UTC)
        calendar = icalendar.Calendar.from_ical(text)
        other = recurring_ical_events.of(calendar).between(low, high)
        print(json.dumps({
            "name": name, "section": section, "text": text, "from": int(low.timestamp()), "to": int(high.timestamp()),
            "found": [{"start": start, "end": end, "title": ""} for start, end in expected],
            "other": sorted([written(event["DTSTART"].dt), written(event["DTEND"].dt)] for event in other)}))
    for name, text, low, high in calendar_events.all_events(seed, count):
        low, high = low.replace(tzinfo=UTC), high.replace(tzinfo=UTC)
        found = occurrences(text, low, high)
        if found is not None:
            print(json.dumps({"name": name, "text": text, "from": int(low.timestamp()), "to": int(high.timestamp()),
                              "found": found}))


main(int(sys.argv[1]), int(sys.argv[2]))
