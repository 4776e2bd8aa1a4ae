extension DescriptionReader {
  /// Checks the rules that involve several fields.
  package mutating func check(_ api: SecretAPI, at written: Written) {
    if api.isWritable {
      if api.reads.isEmpty { report(.cannotObserve, at: written) }
      if api.names == nil { report(.missingField("names"), at: written) }
    }
    if (api.create == nil) != (api.update == nil) { report(.createWithoutUpdate, at: written) }
    if api.put != nil, api.create != nil { report(.severalWaysToWrite, at: written) }
    // A login is the connection's: it cannot depend on a place.
    let isOfPlace = !api.base.variables.isSubset(of: api.connection.map(\.name))
    let logins = api.auth.flatMap(\.login)
    if isOfPlace, logins.contains(where: { $0.request.base == nil }) { report(.missingField("base"), at: written) }
    let shapes = api.reads.flatMap(\.shapes)
    let used = api.requests.reduce(into: Set<String>()) { $0.formUnion($1.value.variables) }
    if used.contains("id"), !shapes.contains(where: { $0.id != nil }) { report(.neverRead("id"), at: written) }
    if used.contains("version") {
      let isRead =
        shapes.contains { $0.version != nil } || api.reads.contains { $0.entries.contains { $0.commonVersion != nil } }
      if !isRead { report(.neverRead("version"), at: written) }
      checkGuard(api, at: written)
    }
    if let many = api.putMany, many.replacesAll {
      let showsAll = api.list?.entries.allSatisfy { $0.shape.value != nil } ?? false
      if !showsAll { report(.objectWithoutValues, at: written) }
    }
  }

  /// A version in a header is a precondition (RFC 9110, section 13), whose answer is 412 everywhere.
  private mutating func checkGuard(_ api: SecretAPI, at written: Written) {
    let rules = api.outcomes + api.requests.flatMap(\.value.outcomes)
    let isInHeader = api.requests.contains { $0.value.headers.contains { $0.value.variables.contains("version") } }
    let writes = [api.put?.request, api.create?.request, api.update?.request, api.putMany?.request].compactMap { $0 }
    let isGuarded = writes.contains { $0.variables.contains("version") }
    if isGuarded, !isInHeader, !rules.contains(where: { $0.then == .stale }) { report(.guardWithoutStale, at: written) }
  }
}
