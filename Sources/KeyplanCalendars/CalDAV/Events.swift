import KeyplanHTTP

extension CalDAVClient {
  /// All events in a period, each occurrence separately.
  func events(of calendar: DAVCalendar, in range: DAVRange) async throws(DAVError) -> DAVEvents {
    var found = DAVEvents()
    for (resource, entries) in try await entries(of: calendar, .occurrences(in: range)) {
      do throws(ICalFault) {
        let events = try entries.get()
        // An unexpanded series would appear only once, at the time of its first occurrence.
        if events.contains(where: \.isSeries) { throw ICalFault(reason: .notExpanded, line: 1) }
        found.events += events.map { DAVEvent(resource: resource, event: $0) }
      } catch {
        found.unreadable[resource] = error
      }
    }
    try await addZones(to: &found, of: calendar, in: range)
    return found
  }

  /// Servers return expanded events in UTC (RFC 4791, section 9.6.5). The zone is only in the unexpanded data.
  private func addZones(
    to found: inout DAVEvents, of calendar: DAVCalendar, in range: DAVRange
  ) async throws(DAVError) {
    guard found.events.contains(where: { if case .utc = $0.event.start { true } else { false } }) else { return }
    var zones: [Entry: String] = [:]
    for (resource, entries) in try await entries(of: calendar, .zones(in: range)) {
      guard let events = try? entries.get() else { continue }
      for event in events {
        guard case .zoned(_, let zone) = event.start else { continue }
        let entry = Entry(resource: resource, uid: event.uid)
        // A moved occurrence may have another zone; that of the series is used.
        if event.occurrence == nil || zones[entry] == nil { zones[entry] = zone }
      }
    }
    for index in found.events.indices {
      guard case .utc = found.events[index].event.start else { continue }
      let event = found.events[index]
      found.events[index].zone = zones[Entry(resource: event.resource, uid: event.event.uid)]
    }
  }

  private struct Entry: Hashable {
    let resource, uid: String
  }

  private func entries(
    of calendar: DAVCalendar, _ question: DAVRequest
  ) async throws(DAVError) -> [(resource: String, Result<[ICalEvent], ICalFault>)] {
    let (answer, address) = try await exchange.perform(question, at: calendar.address)
    var found: [(String, Result<[ICalEvent], ICalFault>)] = []
    for response in try answer.found(at: address).responses {
      guard let data = response.properties[.caldav("calendar-data")] else { continue }
      guard let resource = try? response.reference.resolved(at: address).path else {
        throw DAVError(.unreadable(.address), at: address)
      }
      found.append((resource, Result { () throws(ICalFault) in try ICalReader.events(in: data.bytes) }))
    }
    return found
  }
}
