import KeyplanHTTP

extension CalDAVClient {
  /// A server gives its changes in pieces as it likes.
  private static let pieces = 1000

  /// What changed since the server gave the token, or `nil` if it does not know it any more (RFC 6578, section 3.2).
  func changes(in calendar: DAVCalendar, since token: String) async throws(DAVError) -> DAVChanges? {
    var changes = DAVChanges(token: token)
    for _ in 0..<Self.pieces {
      let (answer, address) = try await exchange.ask(.changes(since: changes.token), at: calendar.address)
      if case .refused(let status, _, let conditions) = answer, status != 401,
        conditions.contains(.dav("valid-sync-token"))
      {
        return nil
      }
      let found = try answer.found(at: address)
      guard let next = found.token else { throw DAVError(.unreadable(.noToken), at: address) }
      var isCut = false
      for response in found.responses {
        guard let path = try? response.reference.resolved(at: address).path else {
          throw DAVError(.unreadable(.address), at: address)
        }
        switch response.status {
        // The calendar itself: there is more.
        case 507 where path == address.path: isCut = true
        case 404, 410:
          changes.removed.insert(path)
          changes.changed.remove(path)
        // Of some servers the calendar itself is among its changes, whenever it is asked.
        case _ where path == address.path: break
        default:
          changes.changed.insert(path)
          changes.removed.remove(path)
        }
      }
      if !isCut {
        changes.token = next
        return changes
      }
      guard next != changes.token else { throw DAVError(.unreadable(.endless), at: address) }
      changes.token = next
    }
    throw DAVError(.unreadable(.endless), at: calendar.address)
  }
}
