import KeyplanHTTP

extension CalDAVClient {
  /// All events in a period, each occurrence separately.
  ///
  /// The server is not asked to expand recurrences: some do not, and others refuse the whole request because of one
  /// event that they cannot expand.
  func events(of calendar: DAVCalendar, in range: DAVRange) async throws(DAVError) -> DAVEvents {
    let (answer, address) = try await exchange.perform(.events(in: range), at: calendar.address)
    var objects: [(place: HTTPAddress, object: ICalObject)] = []
    for response in try answer.found(at: address).responses {
      guard let data = response.properties[.caldav("calendar-data")] else { continue }
      guard let place = try? response.reference.resolved(at: address) else {
        throw DAVError(.unreadable(.address), at: address)
      }
      objects.append((place, ICalReader.read(data.bytes)))
    }
    var found = DAVEvents()
    var expansion = CalendarExpansion(
      in: EventPeriod(start: range.start, end: range.end), ZoneFiles(reading: zoneFile))
    for (place, object) in objects {
      let expanded = expansion.expand(object)
      found.events += expanded.occurrences.map { DAVEvent(resource: place.path, occurrence: $0) }
      found.unread += expanded.unread.map {
        DAVUnread(resource: place.path, name: $0.name ?? place.lastName, fault: $0.fault)
      }
    }
    return found
  }
}
