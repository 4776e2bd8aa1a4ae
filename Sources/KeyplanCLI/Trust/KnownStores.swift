internal import KeyplanFiles
internal import KeyplanReporting
internal import KeyplanStore

/// The stores that this machine knows, in the state directory: for each project's environment the place, the store's id and
/// its root key, as SSH keeps hosts in `known_hosts`. Outside the checkout, so that nobody who changes files there can change
/// which store is opened.
///
/// One line for each environment: `FOLDER ENVIRONMENT PLACE STORE ROOT[,ROOT]`, with blanks and `%` percent-encoded.
struct KnownStores {
  /// Which environment of which manifest.
  struct Project: Hashable, Sendable {
    /// The manifest's folder, absolute, links resolved.
    let folder: String
    /// The environment's name as `keyplan.lock` has it.
    let environment: String
  }

  /// A store that was used or trusted before.
  struct Entry: Hashable, Sendable {
    /// The file or the address, without user and password.
    let place: String
    let pin: Pin
  }

  private let path: String
  /// What the file held; nil where there was none.
  private let bytes: [UInt8]?
  private var entries: [Project: Entry] = [:]

  /// Reads the file; without one nothing is known.
  init(in world: World) throws(Failure) {
    path = world.state + "/known_stores"
    do throws(FileError) {
      bytes = try SafeFile.readPrivate(path, limit: 16 << 20)
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else {
        throw Failure(.storeRefused, "Known stores cannot be read", error.description + ".", hint: error.hint)
      }
      bytes = nil
    }
    let text = String(decoding: bytes ?? [], as: UTF8.self)
    for (index, line) in text.split(separator: "\n").enumerated() where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(Self.decoded)
      let roots = words.last??.split(separator: ",").map(String.init) ?? []
      guard words.count == 5, let folder = words[0], let environment = words[1], let place = words[2],
        let store = words[3], Pin.isHex(store), !roots.isEmpty, roots.allSatisfy(Pin.isHex)
      else {
        throw Failure(
          .storeRefused, "Known stores are damaged",
          "\(path):\(index + 1): The line is not FOLDER ENVIRONMENT PLACE STORE ROOT.",
          hint: "Delete the line, then run keyplan trust in the project that it was about.")
      }
      entries[Project(folder: folder, environment: environment)] = Entry(
        place: place, pin: Pin(store: store, roots: roots))
    }
  }

  subscript(project: Project) -> Entry? { entries[project] }

  /// The places at which this machine used an environment's store, in whatever folder its manifest was: sorted.
  func places(of store: String, environment: String) -> [String] {
    Set(entries.lazy.filter { $0.value.pin.store == store && $0.key.environment == environment }.map(\.value.place))
      .sorted()
  }

  /// The address with the project's name under which this machine knows a store there.
  /// - Parameter address: where to connect. Another server, schema or protection is never taken from what is known, since the id
  ///   may come from `keyplan.lock`, which a pull request can change.
  /// - Returns: nil if the address names a project, or is right as it is, or if nothing known is at it.
  func address(of store: String, _ environment: String, on address: PostgresAddress) -> PostgresAddress? {
    let places = places(of: store, environment: environment)
    guard !places.contains(address.identity) else { return nil }
    return places.lazy.compactMap(address.sameServer).first
  }

  /// The file that a place is; nil for an address.
  static func file(at place: String) -> String? {
    place.hasPrefix("file:") ? String(place.dropFirst("file:".count)) : nil
  }

  /// A place as people see it.
  static func shown(_ place: String, in world: World) -> String {
    file(at: place).map { KeyplanCLI.Project.relative($0, to: world.directory) }
      ?? PostgresAddress.shown(identity: place)
  }

  /// Writes down, durably, what is known of a project's environment from now on. Writes nothing where it is known already.
  ///
  /// Processes that do this at once keep each other's lines: the file is replaced only while it holds what was read.
  static func remember(_ entry: Entry, for project: Project, in world: World) throws(Failure) {
    for attempt in 1...Self.attempts {
      var known = try KnownStores(in: world)
      guard known.entries[project] != entry else { return }
      known.entries[project] = entry
      do throws(FileError) {
        try PrivateDirectory.ensure(world.state)
        try AtomicFile.replace(known.path, with: known.encoded, expecting: known.bytes)
        return
      } catch {
        guard error.code == .changed, attempt < Self.attempts else {
          throw Failure(error, "Known stores cannot be written")
        }
      }
    }
  }

  private static let attempts = 20

  private var encoded: [UInt8] {
    let lines = entries.map { project, entry in
      [project.folder, project.environment, entry.place, entry.pin.store, entry.pin.roots.joined(separator: ",")]
        .map(Self.encoded).joined(separator: " ")
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

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
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
