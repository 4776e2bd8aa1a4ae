internal import KeyplanFiles

/// Which store and which root key belong to an environment. Kept in git, so that nobody can slip in a store of his own
/// making that is encrypted to the same public recipients.
struct Pin: Hashable, Sendable {
  /// The store's id, in hex.
  let store: String
  /// The public commitment to the root key, in hex.
  let root: String
}

/// `keyplan.lock` beside the manifest: one line for each environment, `NAME STORE ROOT`. While the root key is being
/// changed there are two, because the store and this file cannot change in one moment.
struct PinFile {
  private let path: String
  private let world: World
  private var pins: [String: [Pin]] = [:]
  /// Whether there is a file.
  private(set) var isThere = false

  /// Reads the file; without one there are no pins.
  init(in folder: String, of world: World) throws(Failure) {
    self.world = world
    path = folder + "/keyplan.lock"
    let text: String
    do throws(FileError) {
      text = String(decoding: try SafeFile.read(path, limit: 1 << 20), as: UTF8.self)
    } catch {
      guard error.code == .notFound else { throw Failure(error, "keyplan.lock cannot be read") }
      return
    }
    isThere = true
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3 else {
        throw Failure(
          .storeRefused, "keyplan.lock is damaged", "A line of it is not NAME STORE ROOT.",
          hint: "Take it back from git.")
      }
      pins[words[0], default: []].append(Pin(store: words[1], root: words[2]))
    }
  }

  /// The store may have any of these; empty where nothing is pinned.
  func pins(for environment: String?) -> [Pin] { pins[environment ?? Self.unnamed] ?? [] }

  /// Writes a pin down in the place of all others; the same one writes nothing.
  mutating func set(_ pin: Pin, for environment: String?) throws(Failure) {
    guard pins(for: environment) != [pin] else { return }
    pins[environment ?? Self.unnamed] = [pin]
    try write()
  }

  /// Writes a pin down beside the present one, durably, before the store has it.
  mutating func announce(_ pin: Pin, for environment: String?) throws(Failure) {
    guard let present = pins(for: environment).first else { return }
    pins[environment ?? Self.unnamed] = [present, pin]
    try write()
  }

  private func write() throws(Failure) {
    var text = "# Which store belongs to which environment of keyplan.yaml. Keep this file in git.\n"
    for (name, pins) in pins.sorted(by: { $0.key < $1.key }) {
      for pin in pins { text += "\(name) \(pin.store) \(pin.root)\n" }
    }
    do throws(FileError) {
      try AtomicFile.replace(path, with: Array(text.utf8))
    } catch {
      throw Failure(error, "keyplan.lock cannot be written")
    }
    world.publish(path)
  }

  private static let unnamed = "default"
}
