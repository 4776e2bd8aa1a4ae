import KeyplanModel
import KeyplanPlanning

extension ManifestParser {
  /// Parses all connections. Their names are collected first, so that a connection whose credential uses another connection is
  /// reported as such.
  mutating func connections(_ tree: LayeredNode?) -> [Declaration<Connection, RawConnection>] {
    if let tree, case .mapping(let fields) = tree.content {
      for field in fields where !isReserved(field.name) { connections[field.name] = RawConnection() }
    }
    isInConnection = true
    defer { isInConnection = false }
    let written: [Declaration<Connection, RawConnection>] = section(tree, "connection") { $0.connection($1) }
    for connection in written where !isReserved(connection.name.name) {
      connections[connection.name.name] = connection.value
      guard let backend = connection.value.backend, connection.value.unsupported == nil else { continue }
      usable[connection.name] = Connection(
        connection.name, to: backend, connection.value.values, place: connection.place)
    }
    return written
  }

  /// Whether a name means something else already.
  func isReserved(_ name: String) -> Bool { reader.backends.isName(name) || Rule.ownKinds.contains(name) }

  private mutating func connection(_ tree: LayeredNode) -> RawConnection {
    var connection = RawConnection()
    guard case .mapping(let written) = tree.content else {
      _ = fields(tree, reader.backends.shape(ofConnection: nil))
      return connection
    }
    let backends = reader.backends
    let type = choice(written.first { $0.name == "type" }?.value, "type", among: backends.connectionTypes) {
      backends.connection($0) != nil || backends.isBroken($0)
    }
    if let type, backends.isBroken(type.value) { return connection }
    guard let fields = fields(tree, reader.backends.shape(ofConnection: type?.value)) else { return connection }
    _ = required("type", of: fields, in: tree)
    let backend = type.flatMap { reader.backends.connection($0.value) }
    connection.backend = backend
    if let backend, !backend.isSupported { connection.unsupported = "\(backend.title) sources" }
    for field in backend?.connection?.fields ?? reader.backends.commonConnectionFields {
      guard let value = field.isRequired ? required(field.name, of: fields, in: tree) : fields[field.name] else {
        continue
      }
      switch self.value(value, of: field) {
      case .value(let value): connection.values[field.name] = value
      case .method(let name, let values):
        connection.values[field.name] = .text(name)
        for (path, value) in values { connection.values["\(field.name).\(path)"] = value }
      case .unsupported(let what): connection.unsupported = connection.unsupported ?? what
      case nil: break
      }
    }
    return connection
  }

  /// The connection for a backend's own name; nil if the backend requires a declared connection.
  mutating func ownConnection(of backend: BackendDescription) -> Connection? {
    guard backend.connection?.isOptional == true, let name = Identifier<Connection>(backend.name) else { return nil }
    if let known = usable[name] { return known }
    let connection = Connection(name, to: backend)
    usable[name] = connection
    return connection
  }

  /// The connection that a target names, or the one of its type's own name. Nil, with a diagnostic, if there is none.
  mutating func connection(
    of target: Fields, in tree: LayeredNode, to backend: BackendDescription
  ) -> RawConnection? {
    guard target["connection"] != nil else {
      if backend.connection?.isOptional == true { return RawConnection(backend: backend) }
      let names = connections.filter { $0.value.backend?.name == backend.name }.keys.sorted()
      _ = required(
        "connection", of: target, in: tree,
        hint: names.isEmpty ? Self.connectionHint(backend) : "For example, connection: \(names[0]).")
      return nil
    }
    guard let name = text(target["connection"], "connection") else { return nil }
    guard let connection = connections[name.value] else {
      let near = notes.nearest(to: name.value, among: notes.suggests ? connections.keys.sorted() : [])
      notes.report(
        .undeclaredName, "Unknown connection \(ManifestMessages.quoted(name.value, or: "with this name")).",
        hint: ManifestMessages.didYouMean(near) ?? Self.connectionHint(backend), at: name.place)
      return nil
    }
    guard let type = connection.backend?.name else { return nil }
    guard type == backend.name else {
      notes.report(
        .conflict,
        "\"\(name.value)\" is \(ManifestMessages.indefinite(type)) connection, not "
          + "\(ManifestMessages.indefinite(backend.name)) connection.",
        at: name.place)
      return nil
    }
    return connection
  }

  /// The hint for a missing connection.
  static func connectionHint(_ backend: BackendDescription) -> String {
    let fields = (backend.connection?.fields ?? []).filter(\.isRequired).map { ", \($0.name): …" }.joined()
    return "Declare one: connections: { NAME: { type: \(backend.name)\(fields) } }."
  }
}
