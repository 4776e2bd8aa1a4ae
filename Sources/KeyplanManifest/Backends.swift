import KeyplanCore

/// The backends that a manifest may name: those that the program supports, and those that are only planned.
struct Backends: Sendable {
  private let all: [String: BackendDescription]
  /// The types of targets, in order.
  let targetTypes: [String]
  /// The fields of a target by its type.
  private let shapes: [String: Shape]

  init(_ supported: [BackendDescription]) {
    let all = Dictionary((supported + LaterBackends.all).map { ($0.name, $0) }) { first, _ in first }
    let targets = all.compactMapValues(\.target)
    self.all = all
    targetTypes = targets.keys.sorted()
    // Created once: a manifest may have ten thousand targets.
    shapes = Dictionary(
      uniqueKeysWithValues: targets.map { type, grammar in
        (type, Shape.target(grammar.isFile ? "a target" : "\(ManifestMessages.indefinite(type)) target", [grammar]))
      })
  }

  /// The backend of a scheme; nil for an unknown scheme.
  func source(_ scheme: String) -> BackendDescription? { all[scheme].flatMap { $0.reference == nil ? nil : $0 } }

  /// The backend of a target type; nil for an unknown type.
  func target(_ type: String) -> BackendDescription? { all[type].flatMap { $0.target == nil ? nil : $0 } }

  /// The names of all kinds of sources.
  var sources: [String] { all.values.filter { $0.reference != nil }.map(\.name) }

  /// The names of all kinds of sources that can be written as `NAME://…`.
  var schemes: [String] {
    all.values.filter { $0.reference.map { $0.location != .command } ?? false }.map(\.name)
  }

  /// The kinds of sources that can be read, in order.
  var readable: [String] { all.values.filter { $0.reference != nil && $0.isSupported }.map(\.name).sorted() }

  /// The types of connections, in order.
  var connectionTypes: [String] { all.values.filter(\.hasConnection).map(\.name).sorted() }

  /// The fields of a target of this type; for an unknown type, those of all supported types.
  func shape(ofTarget type: String?) -> Shape {
    type.flatMap { shapes[$0] }
      ?? Shape.target("a target", all.values.filter(\.isSupported).sorted { $0.name < $1.name }.compactMap(\.target))
  }

  /// The fields of any target, in the order in which they are written.
  var anyTarget: [String] {
    Shape.target("a target", all.values.sorted { $0.name < $1.name }.compactMap(\.target)).fields
  }

  /// Whether a field of some target takes a reference.
  func takesReference(targetField name: String) -> Bool {
    all.values.contains { $0.target?.fields.contains { $0.name == name && $0.kind == .reference } ?? false }
  }
}

extension Shape {
  /// The fields in order: type and location, then the entries and how they are written.
  fileprivate static func target(_ what: String, _ grammars: [TargetGrammar]) -> Shape {
    var locations: [String] = []
    var modes: [String] = []
    for field in grammars.flatMap(\.fields) where !locations.contains(field.name) && !modes.contains(field.name) {
      if field.kind == .mode { modes.append(field.name) } else { locations.append(field.name) }
    }
    // The location comes before the names inside it.
    let first = ["path", "connection"].filter(locations.contains)
    return Shape(
      what,
      ["type"] + first + locations.filter { !first.contains($0) } + ["keys", "takeOver", "unsafeName"] + modes)
  }
}
