package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// Secrets in a service, as a source.
package struct RemoteSource: SecretSource {
  /// The place and name of a reference.
  package struct Address: Sendable {
    package let place: RemotePlace
    package let name: String

    package init(place: RemotePlace, name: String) {
      self.place = place
      self.name = name
    }
  }

  package let backend: BackendDescription
  private let service: RemoteService
  private let locate: @Sendable (Reference) -> Address?

  /// - Parameter locate: the place and name of a reference; nil if it cannot be used.
  package init(
    _ service: RemoteService, _ backend: BackendDescription, locate: @escaping @Sendable (Reference) -> Address?
  ) {
    self.service = service
    self.backend = backend
    self.locate = locate
  }

  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    let addresses = references.map { locate($0) }
    var groups: [Group: [Int]] = [:]
    for (index, address) in addresses.enumerated() {
      guard let place = address?.place else { continue }
      groups[Group(connection: place.connection.name, fields: place.fields), default: []].append(index)
    }
    var answers = [SourceAnswer](repeating: .unreadable(RemoteMessages.noPlace), count: references.count)
    await withTaskGroup(of: [(Int, SourceAnswer)].self) { group in
      for indices in groups.values {
        let asked = indices.compactMap { index in addresses[index].map { (index, $0) } }
        group.addTask { await answer(asked) }
      }
      for await some in group {
        for (index, answer) in some { answers[index] = answer }
      }
    }
    return answers
  }

  private struct Group: Hashable {
    let connection: String
    let fields: [String: String]
  }

  /// Answers for one place.
  private func answer(_ asked: [(index: Int, address: Address)]) async -> [(Int, SourceAnswer)] {
    guard let place = asked.first?.address.place else { return [] }
    do throws(RemoteFailure) {
      let session = try service.session(for: place)
      let names = Set(asked.map(\.address.name)).sorted()
      // A name that the service cannot have is not asked for: it could mean something else in an address.
      let valid = names.filter { session.isAsked($0) }
      let found = valid.isEmpty ? [:] : try await session.observe(valid, forValues: true)
      return asked.map { index, address in (index, Self.answer(found[address.name])) }
    } catch {
      let failure = error.asAccess
      return asked.map { index, _ in (index, .failed(failure)) }
    }
  }

  private static func answer(_ finding: EntryFinding?) -> SourceAnswer {
    switch finding {
    case nil: return .unreadable(RemoteMessages.invalidName)
    case .missing, .vacant: return .missing()
    case .failed(let failure): return .failed(failure)
    case .found(let entry):
      if entry.isHidden { return .unreadable(RemoteMessages.notShown) }
      guard let value = entry.value else {
        return .unreadable(entry.isOther ? RemoteMessages.notText : RemoteMessages.notShown)
      }
      if let fault = value.withBytes({ ValueFault(in: $0) }) { return .unreadable(fault.sentence) }
      return .value(value)
    }
  }
}

extension PlaceSession {
  /// Whether a request for this name can be made.
  package func isAsked(_ name: String) -> Bool {
    switch (api.names?.rule ?? .text).fault(in: name) {
    case nil, .reserved, .taken: true
    case .alphabet, .slash, .escape, .tooLong: false
    }
  }
}
