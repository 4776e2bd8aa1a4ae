package import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

extension PlanRun {
  /// Plans new values for keys whose values keyplan generates or has made, and the consequences at their slots and targets.
  /// - Throws: `Failure` for a key that is not declared, or whose value keyplan neither generates nor has made.
  package static func rotating(_ names: [String], in workspace: Workspace) async throws(Failure) -> PlanRun {
    var wanted: [Identifier<Key>: GeneratedValue?] = [:]
    for name in names {
      let (id, key) = try workspace.manifest.declaredKey(name)
      guard key.generated != nil || key.minting != nil else { throw Failure(notGenerated: id, key, workspace.manifest) }
      wanted.updateValue(key.generated, forKey: id)
    }
    let chosen = wanted.keys.sorted().flatMap { RecordEdit.users(of: $0, workspace) }
    return try await PlanRun(workspace, wanted: wanted, only: chosen)
  }
}

extension Manifest {
  /// - Throws: `Failure` for a name that is not declared, with the nearest one.
  package func declaredKey(_ name: String) throws(Failure) -> (id: Identifier<Key>, key: Key) {
    if let id = Identifier<Key>(name) {
      if let key = keys[id] { return (id, key) }
      // A key with several parts is rotated as a whole, even if only one of them is named.
      if let part = WholeKeys(self, Recorded()).parts(named: id).first, let key = keys[part] { return (part, key) }
    }
    throw Failure(notDeclared: name, among: keys.keys.map(\.name))
  }
}

extension Failure {
  /// The error that keyplan cannot make a value that is issued elsewhere.
  fileprivate init(notGenerated id: Identifier<Key>, _ key: Key, _ manifest: Manifest) {
    if let parts = key.composition?.parts {
      let rotated = parts.first { manifest.keys[$0].map { $0.generated != nil || $0.minting != nil } ?? false }
      self.init(
        .failed, "Value is composed",
        "\"\(id)\" is composed of \(parts.map(\.name).joined(separator: ", ")), and replaced with them.",
        hint: rotated.map { "Rotate one of these: keyplan keys rotate \($0.whole ?? $0)" }
          ?? Renewal(key).sentence(for: id))
    } else if let source = key.sources.first {
      self.init(
        .failed, "Value is not generated", "\"\(id)\" takes its value from \(source); keyplan cannot issue a new one.",
        hint: Renewal(key).sentence(for: id))
    } else {
      self.init(
        .failed, "Value is not generated",
        "\"\(id)\" has no source: its value is set by hand, and keyplan cannot issue one.",
        hint: Renewal(key).sentence(for: id) + " For a random value: keyplan keys set \(id) --generate")
    }
  }
}
