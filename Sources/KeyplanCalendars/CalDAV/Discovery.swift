import KeyplanHTTP

extension CalDAVClient {
  /// Services with more than one are rare.
  private static let homeLimit = 8

  /// Where the account's calendars are (RFC 6764, section 6).
  func homes() async throws(DAVError) -> [HTTPAddress] {
    let names: [XMLName] = [.dav("current-user-principal"), .caldav("calendar-home-set")]
    let (found, address) = try await start(.properties(names, depth: 0))
    // The address of a person has the homes itself.
    var homes = try references(in: found.property(.caldav("calendar-home-set")), at: address)
    if homes.isEmpty, let principal = found.property(.dav("current-user-principal")) {
      // Whoever is let in without a name was not let in as this account.
      if principal.child(.dav("unauthenticated")) != nil { throw DAVError(.credentialsRefused, at: address) }
      guard let person = try references(in: principal, at: address).first else {
        throw DAVError(.notCalDAV, at: address)
      }
      let (answer, place) = try await exchange.ask(.properties([.caldav("calendar-home-set")], depth: 0), at: person)
      homes = try references(in: answer.found(at: place).property(.caldav("calendar-home-set")), at: place)
    }
    guard !homes.isEmpty else { throw DAVError(.notCalDAV, at: address) }
    return homes
  }

  /// A host alone is asked at its well-known address first. An address with a path is meant as it is.
  private func start(_ question: DAVQuestion) async throws(DAVError) -> (Multistatus, HTTPAddress) {
    let server = exchange.account.server
    if server.path.isEmpty {
      let known = try exchange.reference(DAVReference("/.well-known/caldav"), at: server)
      let (answer, address) = try await exchange.ask(question, at: known)
      switch answer {
      // A second try with a password that is not taken brings the account nearer to being locked.
      case .found, .refused(401, _, _): return (try answer.found(at: address), address)
      case .refused: break
      }
    }
    let root = server.pathAndQuery.isEmpty ? try exchange.reference(DAVReference("/"), at: server) : server
    let (answer, address) = try await exchange.ask(question, at: root)
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
  /// Of the one resource asked.
  fileprivate func property(_ name: XMLName) -> XMLElement? {
    responses.lazy.compactMap { $0.properties[name] }.first
  }
}
