import KeyplanModel

extension FoundEvents {
  /// In chronological order.
  init(_ found: DAVEvents) {
    let events = found.events.map(CalendarEvent.init).sorted { ($0.span.order, $0.id) < ($1.span.order, $1.id) }
    self.init(events, unreadable: found.unread.map { UnreadableEvent(name: $0.name, reason: "\($0.fault)") })
  }
}

extension CalendarEvent {
  fileprivate init(_ found: DAVEvent) {
    let event = found.occurrence.event
    // All occurrences have the same resource.
    let id = found.resource + (found.occurrence.original.map { "#\($0)" } ?? "")
    self.init(id: id, title: event.summary, location: event.location, span: found.occurrence.span)
  }
}
