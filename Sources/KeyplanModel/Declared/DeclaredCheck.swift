/// The declared check of a provider's keys. Fields without a declaration are those of the built-in check.
package struct DeclaredCheck: Hashable, Sendable {
  /// The address in the place of the built-in one, or that of a described check.
  package let address: String?
  /// The digest of a check that the manifest describes; nil for the built-in one.
  package let digest: String?
  /// The hosts that get the keys of the provider.
  package let hosts: [ExternalAccess]
  /// Whether it is a built-in check that was judged in full by neither the provider nor its own client.
  package let isPreview: Bool

  package init(address: String?, digest: String?, hosts: [ExternalAccess], isPreview: Bool = false) {
    self.address = address
    self.digest = digest
    self.hosts = hosts
    self.isPreview = isPreview
  }

  /// The term of the permissions for its hosts: the provider whose keys are sent, the address, and the request.
  func term(of provider: String) -> String {
    let parts = [address.map { "address \($0)" }, digest].compactMap(\.self)
    return "\(Self.prefix(of: provider)) \(parts.joined(separator: ", "))"
  }

  /// The prefix of the terms of a provider's check.
  static func prefix(of provider: String) -> String { "check of \(provider):" }
}

extension Manifest {
  /// The permissions that declared checks require, with their terms.
  package var checkTerms: [ExternalAccess: Set<String>] {
    var terms: [ExternalAccess: Set<String>] = [:]
    for (name, provider) in providers {
      guard let check = provider.check else { continue }
      var own: Set = [check.term(of: name)]
      if check.isPreview { own.insert("the preview check of \(name)") }
      for host in check.hosts { terms[host, default: []].formUnion(own) }
    }
    return terms
  }

  /// The reason that a key may not be sent to its provider; nil if it may.
  ///
  /// A key is sent only to the provider that is recorded with it, and in the way that was permitted: by the built-in check, which no
  /// manifest can change, or by the one that an apply has recorded. Otherwise a change of the manifest alone could send the key to another
  /// host.
  package func checkObstacle(of id: Identifier<Key>, _ record: KeyRecord, under surface: Surface) -> CheckObstacle? {
    guard let key = keys[id] else { return .undeclared }
    guard key.facts.provider == record.facts.provider else {
      return .otherProvider(declared: key.facts.provider, recorded: record.facts.provider)
    }
    return checkObstacle(for: key.facts.provider, under: surface)
  }

  /// The reason that a provider may not check a value that is not recorded yet; nil if it may.
  package func checkObstacle(for name: String, under surface: Surface) -> CheckObstacle? {
    guard let check = providers[name]?.check else {
      // The manifest no longer declares the permitted check. The keys may belong to another service with the same API, so
      // the built-in check must not send them.
      return surface.checkedHosts(of: name).min().map { .pending($0) }
    }
    let term = check.term(of: name)
    return check.hosts.filter { !surface.permits($0, with: [term]) }.min().map { .pending($0) }
  }
}

/// The reason that a key may not be sent to its provider before a plan was applied.
package enum CheckObstacle: Hashable, Sendable {
  /// The manifest does not declare the key.
  case undeclared
  /// The manifest names another provider than the store.
  case otherProvider(declared: String, recorded: String)
  /// The recorded permission for this host is missing or differs from the declared one.
  case pending(ExternalAccess)
}

extension Surface {
  /// The hosts that are permitted for the check of a provider.
  fileprivate func checkedHosts(of provider: String) -> [ExternalAccess] {
    items.filter { item in
      guard item.kind == .host, let terms = self[item] else { return false }
      return terms.contains { $0.hasPrefix(DeclaredCheck.prefix(of: provider)) }
    }
  }
}
