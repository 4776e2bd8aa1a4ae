import KeyplanModel
import KeyplanYAML
import Synchronization

/// The backends that a manifest may name: those that the program supports, and those that are only planned. Descriptions of
/// services are made when one of them is named.
final class Backends: Sendable {
  private let ready: [String: BackendDescription]
  private let services: ManifestReader.Services
  /// Names that a manifest describes with errors, which have been reported.
  private let broken: Set<String>
  private let made = Mutex(Made())

  private struct Made {
    var backends: [String: BackendDescription] = [:]
    /// The fields of a target by its type: a manifest may have ten thousand targets.
    var shapes: [String: Shape] = [:]
    var isComplete = false
  }

  init(
    _ supported: [BackendDescription], _ services: ManifestReader.Services, broken: Set<String> = []
  ) {
    self.broken = broken
    let names = Set(services.names)
    let later = LaterBackends.all.filter { !names.contains($0.name) }
    ready = Dictionary((supported + later).map { ($0.name, $0) }) { first, _ in first }
    self.services = services
  }

  /// The same, and those that a manifest describes.
  func adding(_ declared: [BackendDescription], broken: Set<String>) -> Backends {
    Backends(Array(ready.values) + declared, services, broken: broken)
  }

  /// Whether the manifest describes a backend of this name, with errors.
  func isBroken(_ name: String) -> Bool { broken.contains(name) }

  /// Reads a description in a manifest.
  func declare(_ name: String, _ node: Node) -> Result<BackendDescription, ManifestReader.Services.Faults> {
    services.declare(name, node)
  }

  private func backend(_ name: String) -> BackendDescription? {
    if let backend = ready[name] { return backend }
    guard services.names.contains(name) else { return nil }
    if let backend = made.withLock({ $0.backends[name] }) { return backend }
    let backend = services.backend(name)
    made.withLock { $0.backends[name] = backend }
    return backend
  }

  /// All of them, for suggestions and orders.
  private var all: [String: BackendDescription] {
    if !made.withLock({ $0.isComplete }) {
      for name in services.names { _ = backend(name) }
      made.withLock { $0.isComplete = true }
    }
    return made.withLock { ready.merging($0.backends) { first, _ in first } }
  }

  /// The types of targets, in order.
  var targetTypes: [String] { all.values.filter { $0.target != nil }.map(\.name).sorted() }

  /// The types of connections, in order.
  var connectionTypes: [String] { all.values.filter { $0.connection != nil }.map(\.name).sorted() }

  /// The backend of a scheme; nil for an unknown scheme.
  func source(_ scheme: String) -> BackendDescription? { backend(scheme).flatMap { $0.reference == nil ? nil : $0 } }

  /// The backend of a connection's type; nil for an unknown type.
  func connection(_ type: String) -> BackendDescription? {
    backend(type).flatMap { $0.connection == nil ? nil : $0 }
  }

  /// Whether a backend has this name, so that no connection can have it.
  func isName(_ name: String) -> Bool { ready[name] != nil || services.names.contains(name) }

  /// The backend of a target type; nil for an unknown type.
  func target(_ type: String) -> BackendDescription? { backend(type).flatMap { $0.target == nil ? nil : $0 } }

  /// The names of all kinds of sources.
  var sources: [String] { all.values.filter { $0.reference != nil }.map(\.name) }

  /// The names of all kinds of sources that can be written as `NAME://…`.
  var schemes: [String] {
    all.values.filter { $0.reference.map { $0.location != .command } ?? false }.map(\.name)
  }

  /// The kinds of sources that can be read, in order.
  var readable: [String] { all.values.filter { $0.reference != nil && $0.isSupported }.map(\.name).sorted() }

  /// The fields of a target of this type; for an unknown type, those of all supported types.
  func shape(ofTarget type: String?) -> Shape {
    guard let type, let backend = target(type), let grammar = backend.target else {
      return Shape.target(
        "a target", all.values.filter(\.isSupported).sorted { $0.name < $1.name }.compactMap(\.target), connects: false)
    }
    return made.withLock { made in
      if let shape = made.shapes[type] { return shape }
      let what = grammar.isFile ? "a target" : "\(ManifestMessages.indefinite(type)) target"
      let shape = Shape.target(what, [grammar], connects: backend.connection != nil)
      made.shapes[type] = shape
      return shape
    }
  }

  /// The fields of a connection of this type; for an unknown type, those of all types.
  func shape(ofConnection type: String?) -> Shape {
    guard let type, let grammar = connection(type)?.connection else {
      return Shape("a connection", names: anyConnection)
    }
    return Shape("\(ManifestMessages.indefinite(type)) connection", names: ["type"] + grammar.fields.map(\.name))
  }

  /// The fields of any connection, in the order in which they are written.
  var anyConnection: [String] {
    var names = ["type"]
    let all = all
    for type in connectionTypes {
      for field in all[type]?.connection?.fields ?? [] where !names.contains(field.name) { names.append(field.name) }
    }
    return names
  }

  /// The fields that a connection of an unknown type may have: those that mean the same for all types that have them.
  var commonConnectionFields: [BackendField] {
    let all = connectionTypes.flatMap { self.all[$0]?.connection?.fields ?? [] }
    let kinds = Dictionary(grouping: all, by: \.name).mapValues { Set($0.map(\.kind)) }
    return kinds.filter { $0.value.count == 1 }.sorted { $0.key < $1.key }.flatMap { name, kinds in
      kinds.map { BackendField(name, $0) }
    }
  }

  /// The fields of any target, in the order in which they are written.
  var anyTarget: [String] {
    Shape.target("a target", all.values.sorted { $0.name < $1.name }.compactMap(\.target), connects: true).fields
  }

  /// Whether a field of some connection accepts a reference.
  func takesReference(connectionField name: String) -> Bool {
    all.values.contains {
      $0.connection?.allFields.contains { $0.name == name && ($0.kind == .secret || $0.kind == .identityToken) }
        ?? false
    }
  }

  /// The fields of a method of a connection's field, in the order in which they are written; nil if there is no such method.
  func methodFields(connectionField name: String, method: String) -> [String]? {
    let fields = all.values.flatMap { $0.connection?.fields ?? [] }.filter { $0.name == name }
    for field in fields {
      guard case .method(let methods) = field.kind else { continue }
      if let method = methods.first(where: { $0.name == method }) { return method.fields.map(\.name) }
    }
    return nil
  }

  /// Whether a field of some target accepts a reference.
  func takesReference(targetField name: String) -> Bool {
    all.values.contains { $0.target?.fields.contains { $0.name == name && $0.kind == .secret } ?? false }
  }
}

extension Shape {
  /// The fields in order: type and location, then the entries and their form.
  fileprivate static func target(_ what: String, _ grammars: [TargetGrammar], connects: Bool) -> Shape {
    var locations: [String] = []
    var modes: [String] = []
    for field in grammars.flatMap(\.fields) where !locations.contains(field.name) && !modes.contains(field.name) {
      if field.kind == .mode { modes.append(field.name) } else { locations.append(field.name) }
    }
    // The location comes before the names inside it.
    let first = ["path"].filter(locations.contains) + (connects ? ["connection"] : [])
    return Shape(
      what,
      names: ["type"] + first + locations.filter { !first.contains($0) } + ["keys", "takeOver", "unsafeName", "after"]
        + modes)
  }
}
