internal import KeyplanFiles
package import KeyplanReporting
package import KeyplanStore

/// The stores that this machine knows, in the state directory: for each project's environment the place, the store's id and its root key, as
/// SSH keeps hosts in `known_hosts`. It is outside the checkout, so that changing files there cannot change which store is opened.
///
/// One line for each environment: `FOLDER ENVIRONMENT PLACE STORE ROOT[,ROOT]`, with blanks and `%` percent-encoded.
package struct KnownStores {
  /// A manifest and an environment.
  package struct Project: Hashable, Sendable {
    /// The manifest's folder, absolute, links resolved.
    package let folder: String
    /// The environment's name as `keyplan.lock` has it.
    package let environment: String
  }

  /// A store that was used or trusted before.
  package struct Entry: Hashable, Sendable {
    /// The file or the address, without user and password.
    package let place: String
    package let pin: Pin
  }

  private let bytes: [UInt8]
  private let path: String

  /// Reads the file; if there is none, no store is known.
  package init(in world: World) throws(Failure) {
    let path = Self.path(in: world)
    self.init(try StateFile.read(path, Self.what), at: path)
  }

  private init(_ bytes: [UInt8]?, at path: String) {
    (self.bytes, self.path) = (bytes ?? [], path)
  }

  /// The known store of a project. Every command looks it up, and a machine may know thousands of stores, so only the project's line is
  /// parsed. If there is none, all lines are parsed: a damaged line is an error, and one in another encoding is found.
  package subscript(project: Project) -> Entry? {
    get throws(Failure) {
      let prefix = Array("\(Self.encoded(project.folder)) \(Self.encoded(project.environment)) ".utf8)
      var found: Entry?
      try forEachLine { number, line throws(Failure) in
        guard line.starts(with: prefix) else { return }
        found = try entry(line, number).entry
      }
      if let found { return found }
      return try entries()[project]
    }
  }

  private func entries() throws(Failure) -> [Project: Entry] {
    var entries: [Project: Entry] = [:]
    try forEachLine { number, line throws(Failure) in
      let (project, entry) = try entry(line, number)
      entries[project] = entry
    }
    return entries
  }

  private func forEachLine(_ body: (Int, ArraySlice<UInt8>) throws(Failure) -> Void) throws(Failure) {
    var (start, number) = (0, 0)
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      number += 1
      if start < end, bytes[start] != UInt8(ascii: "#") { try body(number, bytes[start..<end]) }
      start = end + 1
    }
  }

  private func entry(_ line: ArraySlice<UInt8>, _ number: Int) throws(Failure) -> (project: Project, entry: Entry) {
    let words = line.split(separator: UInt8(ascii: " ")).map(Self.decoded)
    let roots = words.last??.split(separator: ",").map(String.init) ?? []
    guard words.count == 5, let folder = words[0], let environment = words[1], let place = words[2],
      let store = words[3], Pin.isHex(store), !roots.isEmpty, roots.allSatisfy(Pin.isHex)
    else {
      throw Failure(
        .storeRefused, "Known stores are damaged",
        "\(path):\(number): The line is not FOLDER ENVIRONMENT PLACE STORE ROOT.",
        hint: "Delete the line, then run keyplan trust in its project.")
    }
    return (
      Project(folder: folder, environment: environment), Entry(place: place, pin: Pin(store: store, roots: roots))
    )
  }

  /// Whether a store of any environment of a project is known.
  /// - Parameter folder: the manifest's folder, absolute, links resolved.
  func contains(folder: String) throws(Failure) -> Bool { try entries().keys.contains { $0.folder == folder } }

  /// All places: sorted.
  package var places: [String] {
    get throws(Failure) { Set(try entries().values.map(\.place)).sorted() }
  }

  /// The places at which this machine used an environment's store, for manifests in any folder: sorted.
  package func places(of store: String, environment: String) throws(Failure) -> [String] {
    let known = try entries().lazy.filter { $0.value.pin.store == store && $0.key.environment == environment }
    return Set(known.map(\.value.place)).sorted()
  }

  /// The address with the project's name under which this machine knows a store there.
  /// - Parameter address: the address to connect to. Another server, schema or protection is never taken from known stores, since the id may
  ///   come from `keyplan.lock`, which a pull request can change.
  /// - Returns: nil if the address names a project, or is the known one, or if no known store is there.
  package func address(of store: String, _ environment: String, on address: PostgresAddress) throws(Failure)
    -> PostgresAddress?
  {
    let places = try places(of: store, environment: environment)
    guard !places.contains(address.identity) else { return nil }
    return places.lazy.compactMap(address.sameServer).first
  }

  /// The file that a place is; nil for an address.
  package static func file(at place: String) -> String? {
    place.hasPrefix("file:") ? String(place.dropFirst("file:".count)) : nil
  }

  /// A place as people see it.
  package static func shown(_ place: String, in world: World) -> String {
    file(at: place).map { KeyplanOperations.Project.relative($0, to: world.directory) }
      ?? PostgresAddress.shown(identity: place)
  }

  /// Records durably the known store of a project's environment. Does not write if it is recorded already.
  package static func remember(_ entry: Entry, for project: Project, in world: World) throws(Failure) {
    let path = path(in: world)
    try StateFile.update(path, what) { old throws(Failure) in
      var entries = try KnownStores(old, at: path).entries()
      guard entries.updateValue(entry, forKey: project) != entry else { return nil }
      return encoded(entries)
    }
  }

  private static let what = "Known stores"
  private static func path(in world: World) -> String { world.state + "/known_stores" }

  private static func encoded(_ entries: [Project: Entry]) -> [UInt8] {
    let lines = entries.map { project, entry in
      [project.folder, project.environment, entry.place, entry.pin.store, entry.pin.roots.joined(separator: ",")]
        .map(encoded).joined(separator: " ")
    }
    let text = "# Stores that keyplan trusts on this machine. See: keyplan trust --help\n"
    return Array((text + lines.sorted().map { $0 + "\n" }.joined()).utf8)
  }

  private static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte <= 0x20 || byte == 0x25 || byte == 0x7F || byte == 0x23 {
        bytes += Array("%".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func decoded(_ word: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hex.firstIndex(of:)),
        let low = rest.popFirst().flatMap(hex.firstIndex(of:))
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static let hex = Array("0123456789ABCDEF".utf8)
}
