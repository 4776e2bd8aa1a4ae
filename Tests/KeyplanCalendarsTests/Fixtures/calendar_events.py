"""Calendar objects in the habits of many programs, as (name, text, from, to).

Systematic ones first: each program's way to write zones, times and exceptions, with each kind of rule. Then random rules.
"""

import datetime
import random

from dateutil.rrule import rrulestr

UTC = datetime.timezone.utc


def zone(name, standard, daylight, starts=("19701025T030000", "19700329T020000"), until=""):
    """A VTIMEZONE: offsets and the rules of both changes."""
    (winter, winter_rule), (summer, summer_rule) = standard, daylight
    return ["BEGIN:VTIMEZONE", f"TZID:{name}", "BEGIN:DAYLIGHT", f"DTSTART:{starts[1]}", f"TZOFFSETFROM:{winter}",
            f"TZOFFSETTO:{summer}", f"RRULE:FREQ=YEARLY;{summer_rule}", "TZNAME:S", "END:DAYLIGHT", "BEGIN:STANDARD",
            f"DTSTART:{starts[0]}", f"TZOFFSETFROM:{summer}", f"TZOFFSETTO:{winter}",
            f"RRULE:FREQ=YEARLY;{winter_rule}", "TZNAME:W", "END:STANDARD", "END:VTIMEZONE"]


EUROPE = ("+0100", "BYMONTH=10;BYDAY=-1SU"), ("+0200", "BYMONTH=3;BYDAY=-1SU")
EXCHANGE = ("+0100", "INTERVAL=1;BYDAY=-1SU;BYMONTH=10"), ("+0200", "INTERVAL=1;BYDAY=-1SU;BYMONTH=3")
AMERICA = ("-0500", "BYMONTH=11;BYDAY=1SU"), ("-0400", "BYMONTH=3;BYDAY=2SU")
AUSTRALIA = ("+1000", "BYMONTH=4;BYDAY=1SU"), ("+1100", "BYMONTH=10;BYDAY=1SU")
IN_AMERICA = ("20071104T020000", "20070311T020000")
IN_AUSTRALIA = ("20080406T030000", "20081005T020000")
FIRST = ("16010101T030000", "16010101T020000")


class Program:
    """How one program writes an event."""

    def __init__(self, name, product, tzid=None, definition=(), extra=(), utc=False, floating=False, days=False,
                 length="DTEND", exceptions="same"):
        self.name, self.product, self.tzid, self.definition, self.extra = name, product, tzid, definition, extra
        self.utc, self.floating, self.days, self.length, self.exceptions = utc, floating, days, length, exceptions

    def time(self, prop, value, params=""):
        """A line for a local time, or several."""
        values = value if isinstance(value, list) else [value]
        if self.days:
            return f"{prop}{params};VALUE=DATE:" + ",".join(f"{one:%Y%m%d}" for one in values)
        text = ",".join(f"{one:%Y%m%dT%H%M%S}" + ("Z" if self.utc else "") for one in values)
        quoted = f'"{self.tzid}"' if self.tzid and any(c in self.tzid for c in ":;,()") else self.tzid
        return f"{prop}{params}" + ("" if self.utc or self.floating else f";TZID={quoted}") + f":{text}"

    def event(self, start, minutes, lines=(), uid="series", summary="Series"):
        days = max(1, minutes // 1440)
        if self.length == "DURATION":
            end = f"DURATION:P{days}D" if self.days else f"DURATION:PT{minutes // 60}H{minutes % 60}M0S"
        elif self.days:
            end = self.time("DTEND", start + datetime.timedelta(days=days))
        else:
            end = self.time("DTEND", start + datetime.timedelta(minutes=minutes))
        return ["BEGIN:VEVENT", f"UID:{uid}@example.com", "DTSTAMP:20240101T000000Z", self.time("DTSTART", start), end,
                f"SUMMARY:{summary}", *self.extra, *lines, "END:VEVENT"]

    def text(self, *events):
        lines = ["BEGIN:VCALENDAR", f"PRODID:{self.product}", "VERSION:2.0", "CALSCALE:GREGORIAN", *self.definition]
        for event in events:
            lines += event
        return "".join(fold(line) + "\r\n" for line in [*lines, "END:VCALENDAR"])


def fold(line):
    return "\r\n ".join(line[i:i + 70] for i in range(0, len(line), 70)) or line


PROGRAMS = [
    Program("google", "-//Google Inc//Google Calendar 70.9054//EN", "Europe/Berlin", zone("Europe/Berlin", *EUROPE),
            ["SEQUENCE:0", "TRANSP:OPAQUE"]),
    Program("apple", "-//Apple Inc.//macOS 14.2//EN", "America/New_York",
            zone("America/New_York", *AMERICA, IN_AMERICA),
            ["X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC", "TRANSP:OPAQUE"]),
    Program("exchange", "Microsoft Exchange Server 2010", "W. Europe Standard Time",
            zone("W. Europe Standard Time", *EXCHANGE, FIRST),
            ["CLASS:PUBLIC", "X-MICROSOFT-CDO-BUSYSTATUS:BUSY", "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE"]),
    Program("outlook", "-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN",
            "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
            zone("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", *EXCHANGE, FIRST),
            ["X-MICROSOFT-DISALLOW-COUNTER:FALSE"]),
    Program("outlook-us", "-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN", "Eastern Standard Time",
            zone("Eastern Standard Time", *AMERICA, ("16011104T020000", "16010311T020000")), length="DURATION"),
    Program("nextcloud", "-//IDN nextcloud.com//Calendar app 4.6.4//EN", "Europe/Berlin",
            zone("Europe/Berlin", *EUROPE), ["CREATED:20240101T000000Z", "LAST-MODIFIED:20240101T000000Z"],
            exceptions="utc"),
    Program("radicale", "-//PIMUTILS.ORG//NONSGML khal / icalendar //EN", "Europe/Berlin", length="DURATION"),
    Program("thunderbird", "-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN", "America/New_York",
            zone("America/New_York", *AMERICA, IN_AMERICA), ["X-MOZ-GENERATION:1"], exceptions="floating"),
    Program("fastmail", "-//CyrusIMAP.org/Cyrus 3.9//EN", "Australia/Melbourne",
            zone("Australia/Melbourne", *AUSTRALIA, IN_AUSTRALIA), length="DURATION"),
    Program("evolution", "-//Ximian//NONSGML Evolution Calendar//EN", "Asia/Kolkata", [],
            ["X-EVOLUTION-CALDAV-ETAG:x"]),
    Program("zoom", "-//ZOOM.US//NONSGML Zoom Meeting//EN", utc=True, extra=["CLASS:PUBLIC"]),
    Program("calendly", "-//Calendly//NONSGML v1.0//EN", utc=True, length="DURATION"),
    Program("floating", "-//hand//EN", floating=True),
    Program("birthdays", "-//Sabre//Sabre VObject 4.4.1//EN", days=True, length="DURATION"),
    Program("holidays", "-//Google Inc//Google Calendar 70.9054//EN", days=True, extra=["TRANSP:TRANSPARENT"]),
]

#: Rules that select their start, by the weekday, day and month of it.
RULES = [
    "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=DAILY;COUNT=40", "FREQ=DAILY;UNTIL={until}",
    "FREQ=DAILY;BYMONTH={month},{after}", "FREQ=DAILY;BYDAY={weekday},SA", "FREQ=WEEKLY", "FREQ=WEEKLY;INTERVAL=2",
    "FREQ=WEEKLY;BYDAY=MO,{weekday},FR;WKST=SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,{weekday};WKST=SU;COUNT=25",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,{weekday};WKST=MO", "FREQ=MONTHLY", "FREQ=MONTHLY;BYMONTHDAY={day},-1",
    "FREQ=MONTHLY;BYDAY={ordinal}{weekday}", "FREQ=MONTHLY;BYDAY={weekday};BYMONTHDAY={days}",
    "FREQ=MONTHLY;INTERVAL=2;COUNT=9", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS={workday},-1", "FREQ=YEARLY",
    "FREQ=YEARLY;BYMONTH={month};BYDAY={ordinal}{weekday}", "FREQ=YEARLY;BYYEARDAY={yearday},-10",
    "FREQ=YEARLY;BYWEEKNO={week};BYDAY={weekday}", "FREQ=YEARLY;INTERVAL=4;BYMONTH={month};BYMONTHDAY={day}",
]


def rule(template, start, program):
    until = start + datetime.timedelta(days=70)
    ordinal = (start.day - 1) // 7 + 1
    days = ",".join(str(d) for d in range((ordinal - 1) * 7 + 1, min(31, ordinal * 7) + 1))
    weekdays_before = sum(1 for d in range(1, start.day + 1) if start.replace(day=d).weekday() < 5)
    return template.format(
        until=f"{until:%Y%m%d}" if program.days else f"{until:%Y%m%dT%H%M%S}" + ("" if program.floating else "Z"),
        month=start.month, after=start.month % 12 + 1, weekday=["MO", "TU", "WE", "TH", "FR", "SA", "SU"][start.weekday()],
        day=start.day, days=days, ordinal=ordinal, workday=weekdays_before, yearday=start.timetuple().tm_yday,
        week=start.isocalendar()[1])


def ranges(start):
    """Around the start, and years later."""
    near = start - datetime.timedelta(days=5)
    far = start.replace(day=1) + datetime.timedelta(days=365 * 4)
    return [(near, near + datetime.timedelta(days=200)), (far, far + datetime.timedelta(days=70))]


def systematic():
    starts = [datetime.datetime(2024, 2, 29, 9, 30), datetime.datetime(2023, 3, 2, 2, 30),
              datetime.datetime(2023, 10, 5, 1, 45), datetime.datetime(2025, 6, 11, 23, 15)]
    for i, program in enumerate(PROGRAMS):
        for j, template in enumerate(RULES):
            start = starts[(i + j) % len(starts)]
            if "/" not in (program.tzid or "/"):
                # icalendar counts skipped hours of zones that it does not know with the later offset.
                start = start.replace(hour=start.hour + (2 if start.hour == 2 else 0))
            lines = ["RRULE:" + rule(template, start, program)]
            low, high = ranges(start)[(i + j) // 4 % 3 // 2]
            yield f"{program.name} {template}", program.text(program.event(start, [30, 60, 90, 1440][j % 4], lines)), low, high
        yield from exceptions(program)


def exceptions(program):
    """A weekly event with occurrences that were added, left out, moved, cancelled and changed from one on."""
    start = datetime.datetime(2024, 10, 2, 8, 15)
    week = datetime.timedelta(days=7)
    low, high = ranges(start)[0]
    weekly = "RRULE:FREQ=WEEKLY;COUNT=20"

    def exception(prop, times, params=""):
        if program.exceptions == "floating":
            return f"{prop}{params}:" + ",".join(f"{one:%Y%m%dT%H%M%S}" for one in times)
        return program.time(prop, times, params)

    left_out = exception("EXDATE", [start + week, start + 3 * week])
    yield f"{program.name} left out", program.text(program.event(start, 45, [weekly, left_out])), low, high
    each = [exception("EXDATE", [start + n * week]) for n in (1, 4)]
    yield f"{program.name} left out one by one", program.text(program.event(start, 45, [weekly, *each])), low, high
    added = program.time("RDATE", [start + datetime.timedelta(days=3), start + week])
    yield f"{program.name} added", program.text(program.event(start, 45, [weekly, added])), low, high
    yield f"{program.name} only added", program.text(program.event(start, 45, [added])), low, high
    if not program.days:
        periods = ",".join(
            f"{start + datetime.timedelta(days=n):%Y%m%dT%H%M%S}" + ("Z" if program.utc else "") + end
            for n, end in ((2, "/PT3H"), (9, "/PT15M")))
        period = program.time("RDATE", start, ";VALUE=PERIOD").rsplit(":", 1)[0] + ":" + periods
        yield f"{program.name} periods", program.text(program.event(start, 45, [weekly, period])), low, high
    moved = program.event(start + 2 * week + datetime.timedelta(hours=26), 60,
                          [exception("RECURRENCE-ID", [start + 2 * week])], summary="Moved")
    away = program.event(start + 300 * week, 60, [exception("RECURRENCE-ID", [start + 3 * week])], summary="Away")
    here = program.event(start + datetime.timedelta(days=5), 60,
                         [exception("RECURRENCE-ID", [start + 19 * week])], summary="Here")
    off = program.event(start + 5 * week, 45, [exception("RECURRENCE-ID", [start + 5 * week]), "STATUS:CANCELLED"])
    series = program.event(start, 45, [weekly])
    yield f"{program.name} moved", program.text(series, moved, away, here, off), low, high
    yield f"{program.name} without its series", program.text(moved), low, high
    if program.exceptions == "same":
        future = program.event(start + 6 * week + datetime.timedelta(hours=24), 90,
                               [exception("RECURRENCE-ID", [start + 6 * week], ";RANGE=THISANDFUTURE")],
                               summary="From now on")
        yield f"{program.name} from one on", program.text(series, future, moved), low, high
        ended = program.event(start + 9 * week, 90, [
            exception("RECURRENCE-ID", [start + 9 * week], ";RANGE=THISANDFUTURE"), "STATUS:CANCELLED"])
        yield f"{program.name} cancelled from one on", program.text(series, future, ended), low, high


def singles():
    berlin, york = zone("Europe/Berlin", *EUROPE), zone("America/New_York", *AMERICA, IN_AMERICA)

    def single(name, *lines, definition=()):
        text = ["BEGIN:VCALENDAR", f"PRODID:-//{name}//EN", "VERSION:2.0", *definition, "BEGIN:VEVENT", "UID:single",
                "DTSTAMP:20240101T000000Z", "SUMMARY:Single", *lines, "END:VEVENT", "END:VCALENDAR", ""]
        low = datetime.datetime(2024, 10, 1)
        return name, "\r\n".join(text), low, low + datetime.timedelta(days=60)

    yield single("lufthansa", "DTSTART;TZID=Europe/Berlin:20241027T013000", "DTEND;TZID=America/New_York:20241027T081000",
                 definition=berlin + york)
    yield single("united", "DTSTART;TZID=America/New_York:20241102T223000", "DTEND;TZID=Europe/Berlin:20241103T120500",
                 definition=york + berlin)
    yield single("ba without zones", "DTSTART;TZID=Europe/London:20241026T213000", "DTEND;TZID=Asia/Tokyo:20241027T180000")
    yield single("ends in utc", "DTSTART;TZID=Europe/Berlin:20241020T100000", "DTEND:20241020T093000Z", definition=berlin)
    yield single("starts in utc", "DTSTART:20241020T080000Z", "DTEND;TZID=Europe/Berlin:20241020T110000", definition=berlin)
    yield single("tripit flight", "DTSTART:20241019T105500Z", "DTEND:20241019T193000Z", "LOCATION:FRA")
    yield single("tripit trip", "DTSTART;VALUE=DATE:20241019", "DTEND;VALUE=DATE:20241026")
    yield single("day without end", "DTSTART;VALUE=DATE:20241019")
    yield single("no length", "DTSTART:20241019T100000Z")
    yield single("weeks", "DTSTART:20241019T100000Z", "DURATION:P2W")
    yield single("days across a change", "DTSTART;TZID=Europe/Berlin:20241026T100000", "DURATION:P2D", definition=berlin)
    yield single("skipped hour", "DTSTART;TZID=Europe/Berlin:20240331T023000", "DURATION:PT0S", definition=berlin)
    yield single("hour that occurs twice", "DTSTART;TZID=Europe/Berlin:20241027T023000", "DURATION:PT0S", definition=berlin)
    yield single("sweden", "DTSTART;TZID=W. Europe Standard Time:20241105T090000",
                 "DTEND;TZID=W. Europe Standard Time:20241105T100000",
                 definition=zone("W. Europe Standard Time", *EXCHANGE, FIRST))


def differences():
    """Where keyplan deliberately gives another answer: the section that says so, and the answer."""
    berlin = zone("Europe/Berlin", *EUROPE)
    low = datetime.datetime(2024, 10, 1)

    def case(name, section, found, *lines, definition=berlin, days=60):
        text = ["BEGIN:VCALENDAR", "PRODID:-//differences//EN", "VERSION:2.0", *definition, "BEGIN:VEVENT", "UID:one",
                "DTSTAMP:20240101T000000Z", *lines, "END:VEVENT", "END:VCALENDAR", ""]
        return name, section, "\r\n".join(text), low, low + datetime.timedelta(days=days), found

    yield case("the length between two times is exact across a change of the clocks", "RFC 5545, 3.8.5.3",
               [("2024-10-19T20:00:00Z", "2024-10-20T04:00:00Z"), ("2024-10-26T20:00:00Z", "2024-10-27T04:00:00Z")],
               "DTSTART;TZID=Europe/Berlin:20241019T220000", "DTEND;TZID=Europe/Berlin:20241020T060000",
               "RRULE:FREQ=WEEKLY;COUNT=2")
    yield case("a skipped hour has the offset before the change", "RFC 5545, 3.3.5",
               [("2024-11-30T01:30:00Z", "2024-11-30T01:30:00Z")],
               "DTSTART;TZID=Here:20241130T023000",
               definition=zone("Here", ("+0100", "BYMONTH=2;BYMONTHDAY=1"), ("+0200", "BYMONTH=11;BYMONTHDAY=30")), days=70)
    yield case("a date in UNTIL includes its day", "RFC 5545, 3.3.10",
               [(f"2024-10-{day}T07:00:00Z", f"2024-10-{day}T08:00:00Z") for day in (20, 21, 22)],
               "DTSTART;TZID=Europe/Berlin:20241020T090000", "DTEND;TZID=Europe/Berlin:20241020T100000",
               "RRULE:FREQ=DAILY;UNTIL=20241022")
    yield case("what a rule leaves open comes from the start", "RFC 5545, 3.3.10",
               [("2024-10-09T08:00:00Z", "2024-10-09T08:00:00Z"), ("2024-11-13T08:00:00Z", "2024-11-13T08:00:00Z")],
               "DTSTART:20231011T080000Z", "RRULE:FREQ=YEARLY;BYWEEKNO=41,46")
    yield case("weekdays with and without numbers add up", "RFC 5545, 3.3.10",
               [(f"2024-10-{day}T08:00:00Z", f"2024-10-{day}T08:00:00Z") for day in ("01", "07", "14")],
               "DTSTART:20241001T080000Z", "RRULE:FREQ=MONTHLY;BYDAY=MO,1TU;COUNT=3")
    yield case("the start counts as the first, also where the rule does not select it", "RFC 5545, 3.3.10",
               [("2024-10-02T08:00:00Z", "2024-10-02T08:00:00Z"), ("2024-10-15T08:00:00Z", "2024-10-15T08:00:00Z")],
               "DTSTART:20241002T080000Z", "RRULE:FREQ=MONTHLY;BYMONTHDAY=15;COUNT=2")
    yield case("a day that ends when it begins is one day", "RFC 5545, 3.6.1", [("2024-10-02", "2024-10-03")],
               "DTSTART;VALUE=DATE:20241002", "DTEND;VALUE=DATE:20241002")
    yield case("exclusion rules exclude", "RFC 2445, 4.8.5.2",
               [("2024-10-02T08:00:00Z", "2024-10-02T08:00:00Z"), ("2024-10-04T08:00:00Z", "2024-10-04T08:00:00Z")],
               "DTSTART:20241002T080000Z", "RRULE:FREQ=DAILY;COUNT=3", "EXRULE:FREQ=MONTHLY;BYMONTHDAY=3")
    yield case("the zone that the object defines counts, whatever its name", "RFC 5545, 3.2.19",
               [("2024-10-02T04:00:00Z", "2024-10-02T04:00:00Z")], "DTSTART;TZID=Europe/Berlin:20241002T090000",
               definition=zone("Europe/Berlin", ("+0500", EUROPE[0][1]), ("+0500", EUROPE[1][1])))

def random_rules(seed, count):
    """Rules of all frequencies with random parts. The start is one of the times that the rule selects by itself."""
    chance = random.Random(seed)
    for number in range(count):
        program = chance.choice(PROGRAMS)
        frequencies = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY"] + ["HOURLY", "MINUTELY", "SECONDLY"] * (not program.days)
        frequency = chance.choice(frequencies)
        short = frequency in frequencies[4:]
        time = (0, 0, 0) if program.days else (chance.randint(0, 23), chance.choice([0, 15, 30, 59]), 0)
        # The other implementation visits every second since the start. The zones are defined from 2008 on.
        start = datetime.datetime(2024 if short else chance.randint(2009, 2024), chance.randint(1, 12),
                                  chance.randint(1, 28), *time)
        # Without a COUNT or UNTIL, of which many random ones select one time at most.
        rule = ";".join(random_parts(chance, frequency, start, program.days))
        selected = rrulestr(rule, dtstart=start)
        first = start if start == next(iter(selected), None) else selected.after(start)
        if first is None or rrulestr(rule, dtstart=first).after(first - datetime.timedelta(1), inc=True) != first:
            continue
        end = chance.random()
        if end < 0.25:
            rule += f";COUNT={chance.randint(1, 60)}"
        elif end < 0.4:
            until = first + datetime.timedelta(days=chance.randint(0, 5 if short else 500))
            rule += f";UNTIL={until:%Y%m%d}" if program.days else f";UNTIL={until:%Y%m%dT%H%M%S}" + "Z" * (not program.floating)
        low = first + datetime.timedelta(days=chance.choice([0, 2] if short else [-3, 20, 400, 1500]))
        days = chance.choice([1, 3]) if short else chance.choice([40, 400])
        text = program.text(program.event(first, chance.choice([15, 60, 1440]), ["RRULE:" + rule]))
        yield f"random {number} {program.name} {rule}", text, low, low + datetime.timedelta(days=days)


def random_parts(chance, frequency, start, only_days):
    names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    # Where the other implementation would look for ever for a time that never comes, the start is always selected.
    certain = frequency not in ("YEARLY", "MONTHLY", "WEEKLY")

    def some(low, high, most, own, signed=False):
        values = {value for value in chance.choices(range(low, high + 1), k=chance.randint(1, most)) if value or not signed}
        return ",".join(str(value) for value in sorted(values | {own} if certain or not values else values))

    yield f"FREQ={frequency}"
    if chance.random() < 0.5:
        yield f"INTERVAL={chance.choice([2, 3, 5, 13])}"
    if chance.random() < 0.4:
        yield "BYMONTH=" + some(1, 12, 6, start.month)
    if frequency == "YEARLY" and chance.random() < 0.2:
        yield "BYWEEKNO=" + some(1, 53, 8, 10)
        yield "BYDAY=" + ",".join(chance.sample(names, chance.randint(1, 3)))
    elif chance.random() < 0.5:
        days = chance.sample(names, chance.randint(1, 4))
        if frequency in ("MONTHLY", "YEARLY") and chance.random() < 0.6:
            days = [f"{chance.choice([-2, -1, 1, 2, 3, 4, 5])}{day}" for day in days]
        if certain and names[start.weekday()] not in days:
            days.append(names[start.weekday()])
        yield "BYDAY=" + ",".join(days)
    if frequency not in ("MONTHLY", "WEEKLY", "DAILY") and chance.random() < 0.15:
        yield "BYYEARDAY=" + some(-366, 366, 40, start.timetuple().tm_yday, True)
    if frequency != "WEEKLY" and chance.random() < 0.3:
        yield "BYMONTHDAY=" + some(-31, 31, 12, start.day, True)
    if not only_days:
        if chance.random() < 0.3 or frequency in ("MINUTELY", "SECONDLY"):
            yield "BYHOUR=" + some(0, 23, 3, start.hour)
        if chance.random() < 0.2 or frequency == "SECONDLY":
            yield "BYMINUTE=" + some(0, 59, 3, start.minute)
        if chance.random() < 0.2 or frequency == "SECONDLY":
            yield "BYSECOND=" + some(0, 59, 3, start.second)
    if chance.random() < 0.3:
        yield "BYSETPOS=" + (chance.choice(["1", "-1", "1,-1"]) if certain else some(-4, 4, 3, 1, True))
    if chance.random() < 0.3:
        yield "WKST=" + chance.choice(names)


def all_events(seed, count):
    yield from systematic()
    yield from singles()
    yield from random_rules(seed, count)
