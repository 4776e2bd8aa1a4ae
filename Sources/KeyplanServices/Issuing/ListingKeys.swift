import KeyplanJSON
import KeyplanModel
package import KeyplanPorts

extension KeyIssuer {
  /// All keys, of every page.
  /// - Throws: `KeyIssuerFailure` unless the list is complete.
  package func list() async throws(KeyIssuerFailure) -> [ListedKey] {
    guard let list = rotate.list else { throw KeyIssuerFailure(.unsupported, IssuerMessages.noList) }
    do throws(RemoteFailure) {
      return try await keys(list)
    } catch {
      throw .listing(error)
    }
  }

  private func keys(_ list: SecretAPI.KeyList) async throws(RemoteFailure) -> [ListedKey] {
    let bindings = try await session.bindings(for: list.variables)
    var keys: [ListedKey] = []
    var seen: Set<String> = []
    var total: Int?
    for answer in try await session.pages(list.read, bindings, [:]) {
      guard answer.meaning == .ok, let json = answer.json else { throw session.wrongShape }
      for entry in try entries(of: list, in: json, bindings) {
        guard let id = try text(list.id, of: entry, json, bindings), !id.isEmpty else { throw session.wrongShape }
        // A list that changed between two of its pages shows one key twice, and another not at all.
        guard seen.insert(id).inserted else {
          throw RemoteFailure(.unreadable, IssuerMessages.duplicate(session.host))
        }
        guard !(list.except?.holds(for: entry, in: json, bindings) ?? false) else { continue }
        let name = try list.name.map { (extract) throws(RemoteFailure) in try self.name(extract, entry, json, bindings)
        }
        let created = try list.created.flatMap { (extract) throws(RemoteFailure) in
          try text(extract, of: entry, json, bindings)
        }
        keys.append(ListedKey(id: id, name: name ?? nil, created: created.flatMap { CheckFacts.moment($0) }))
      }
      total =
        list.total.flatMap { json.values(at: $0, in: json.root).first }.flatMap { json.number($0) }
        .flatMap { Int($0) } ?? total
    }
    guard total == nil || total == seen.count else {
      throw RemoteFailure(.unreadable, IssuerMessages.incomplete(session.host))
    }
    return keys
  }

  private func entries(
    of list: SecretAPI.KeyList, in json: JSONAnswer, _ bindings: Bindings
  ) throws(RemoteFailure) -> [JSONNode] {
    guard let entries = list.read.entries.first, entries.expect.holds(for: json.root, in: json, bindings) else {
      throw RemoteFailure(.unreadable, RemoteMessages.otherService(session.host))
    }
    let lists = json.values(at: entries.each, in: json.root)
    guard lists.count == 1, case .array(let elements) = lists[0].content else { throw session.wrongShape }
    return elements
  }

  /// Nil for a key whose name is null. One without the member would be a list in another form, in which nothing is found.
  private func name(
    _ extract: Extract, _ entry: JSONNode, _ json: JSONAnswer, _ bindings: Bindings
  ) throws(RemoteFailure) -> String? {
    if let name = try text(extract, of: entry, json, bindings) { return name }
    guard case .pointer(let pointer) = extract.origin, !json.values(at: pointer, in: entry).isEmpty else {
      throw session.wrongShape
    }
    return nil
  }

  private func text(
    _ extract: Extract, of entry: JSONNode, _ json: JSONAnswer, _ bindings: Bindings
  ) throws(RemoteFailure) -> String? {
    do throws(Extract.Fault) {
      guard let value = try extract.value(in: entry, key: nil, of: json, bindings) else { return nil }
      if let text = value.text { return text }
    } catch {}
    throw session.wrongShape
  }
}

extension SecretAPI.KeyList {
  /// The names of all variables.
  fileprivate var variables: Set<String> {
    var names = read.request.variables
    for match in read.entries.map(\.expect) + [except].compactMap(\.self) { names.formUnion(match.variables) }
    for extract in [id, name, created] { names.formUnion(extract?.selection?.match.variables ?? []) }
    return names
  }
}
