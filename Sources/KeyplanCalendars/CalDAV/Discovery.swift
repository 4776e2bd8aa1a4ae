import KeyplanHTTP

extension CalDAVClient {
  /// Accounts with more than one home are rare.
  private static let homeLimit = 8

  /// The collections of the account's calendars (RFC 6764, section 6).
  func homes() async throws(DAVError) -> [HTTPAddress] {
    let names: [XMLName] = [.dav("current-user-principal"), .caldav("calendar-home-set")]
    let (found, address) = try await start(.properties(names, depth: 0))
    // The address may be that of a principal, which has the property itself.
    var homes = try references(in: found.property(.caldav("calendar-home-set")), at: address)
    if homes.isEmpty, let principal = found.property(.dav("current-user-principal")) {
      // Access without authentication is not access as this account.
      if principal.child(.dav("unauthenticated")) != nil { throw DAVError(.credentialsRefused, at: address) }
      guard let person = try references(in: principal, at: address).first else {
        throw DAVError(.notCalDAV, at: address)
      }
      let (answer, place) = try await exchange.perform(
        .properties([.caldav("calendar-home-set")], depth: 0), at: person)
      homes = try references(in: answer.found(at: place).property(.caldav("calendar-home-set")), at: place)
    }
    guard !homes.isEmpty else { throw DAVError(.notCalDAV, at: address) }
    return homes
  }

  /// For a host without a path, the well-known address is tried first. An address with a path is used unchanged.
  private func start(_ question: DAVRequest) async throws(DAVError) -> (Multistatus, HTTPAddress) {
    let server = exchange.account.server
    if server.path.isEmpty {
      let known = try exchange.reference(DAVReference("/.well-known/caldav"), at: server)
      let (answer, address) = try await exchange.perform(question, at: known)
      switch answer {
      // Another attempt with a rejected password could cause the account to be locked.
      case .found, .refused(401, _, _): return (try answer.found(at: address), address)
      case .refused: break
      }
    }
    let root = server.pathAndQuery.isEmpty ? try exchange.reference(DAVReference("/"), at: server) : server
    let (answer, address) = try await exchange.perform(question, at: root)
    return (try answer.found(at: address), address)
  }

  private func references(in property: XMLElement?, at address: HTTPAddress) throws(DAVError) -> [HTTPAddress] {
    var found: [HTTPAddress] = []
    for element in property?.all(.dav("href")).prefix(Self.homeLimit) ?? [] {
      found.append(try exchange.reference(DAVReference(element.text), at: address))
    }
    return found
  }
}

extension Multistatus {
  /// The property of the single requested resource.
  fileprivate func property(_ name: XMLName) -> XMLElement? {
    responses.lazy.compactMap { $0.properties[name] }.first
  }
}
