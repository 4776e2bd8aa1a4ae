import KeyplanHTTP

extension CalDAVClient {
  /// The maximum number of partial responses.
  private static let pieces = 1000

  /// The changes since the token was issued, or `nil` if the server no longer knows it (RFC 6578, section 3.2).
  func changes(in calendar: DAVCalendar, since token: String) async throws(DAVError) -> DAVChanges? {
    var changes = DAVChanges(token: token)
    for _ in 0..<Self.pieces {
      let (answer, address) = try await exchange.perform(.changes(since: changes.token), at: calendar.address)
      if case .refused(let status, _, let conditions) = answer, status != 401,
        conditions.contains(.dav("valid-sync-token"))
      {
        return nil
      }
      let found = try answer.found(at: address)
      guard let next = found.token else { throw DAVError(.unreadable(.noToken), at: address) }
      var isTruncated = false
      for response in found.responses {
        guard let path = try? response.reference.resolved(at: address).path else {
          throw DAVError(.unreadable(.address), at: address)
        }
        switch response.status {
        // 507 for the calendar itself: there are more changes.
        case 507 where path == address.path: isTruncated = true
        case 404, 410:
          changes.removed.insert(path)
          changes.changed.remove(path)
        // Some servers always list the calendar itself among its changes.
        case _ where path == address.path: break
        default:
          changes.changed.insert(path)
          changes.removed.remove(path)
        }
      }
      if !isTruncated {
        changes.token = next
        return changes
      }
      guard next != changes.token else { throw DAVError(.unreadable(.endless), at: address) }
      changes.token = next
    }
    throw DAVError(.unreadable(.endless), at: calendar.address)
  }
}
