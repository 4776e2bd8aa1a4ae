internal import KeyplanFiles
internal import KeyplanModel
package import KeyplanReporting

/// `keyplan.lock` next to the manifest, kept in git: the store and the root key of each environment. An attacker who can encrypt a store to
/// the same public recipients cannot substitute it for the real one.
///
/// One line for each environment, `NAME STORE ROOT`. While the root key is being replaced it is `NAME STORE ROOT next ROOT`, because the
/// store and this file cannot change at the same moment. With `pin: serial` in the manifest, `serial N` follows. Two lines for one
/// environment are a bad merge.
package struct PinFile: Sendable {
  private let path: String
  private let world: World
  private var pins: [String: Pin] = [:]
  /// Whether there is a file.
  private(set) var exists = false

  /// Reads the file; if there is none, there are no pins.
  package init(in folder: String, of world: World) throws(Failure) {
    self.world = world
    path = folder + "/keyplan.lock"
    let text: String
    do throws(FileError) {
      text = String(
        decoding: try SafeFile.read(path, limit: 1 << 20, within: Project.workTree(of: folder)), as: UTF8.self)
    } catch {
      guard error.code == .notFound else { throw Failure(error, "Cannot read keyplan.lock") }
      return
    }
    exists = true
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      try take(line, number: index + 1)
    }
  }

  private mutating func take(_ line: Substring, number: Int) throws(Failure) {
    var words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
    let serial = Self.takeSerial(&words)
    guard let name = words.first, !name.hasPrefix("#") else { return }
    guard !["<<<<<<<", "=======", ">>>>>>>", "|||||||"].contains(where: name.hasPrefix) else {
      throw Failure(
        .storeRefused, "Merge conflict in keyplan.lock", "keyplan.lock:\(number): This line is a git conflict marker.",
        hint: "For each environment, keep the line of the store in use. keyplan plan then verifies it.")
    }
    let hasNext = words.count == 5 && words[3] == "next"
    guard words.count == 3 || hasNext, Identifier<Project>(name) != nil, Pin.isHex(words[1]), Pin.isHex(words[2]),
      !hasNext || Pin.isHex(words[4])
    else {
      throw Failure(
        .storeRefused, "keyplan.lock is damaged", "keyplan.lock:\(number): The line is not NAME STORE ROOT.",
        hint: "Restore it from git: git checkout -- keyplan.lock")
    }
    let pin = Pin(store: words[1], roots: [words[2]] + (hasNext ? [words[4]] : []), serial: serial)
    if let other = pins[name] {
      throw Failure(
        .storeRefused, "Duplicate environment",
        "keyplan.lock:\(number): \"\(name)\" is listed twice: "
          + "\(other.store) \(other.roots.joined(separator: " ")), and \(words.dropFirst().joined(separator: " ")).",
        hint: "This is a bad merge: keep the line of the main branch.")
    }
    pins[name] = pin
  }

  /// Takes `serial N` off the end of a line.
  static func takeSerial(_ words: inout [String]) -> Int64? {
    guard words.count > 4, words[words.count - 2] == "serial", let serial = Int64(words[words.count - 1]), serial > 0
    else { return nil }
    words.removeLast(2)
    return serial
  }

  /// The pin of an environment; nil if there is none.
  package func pin(for environment: String?) -> Pin? { pins[environment ?? Self.unnamed] }

  /// Writes a pin, replacing an existing one; an equal one writes nothing.
  package mutating func set(_ pin: Pin, for environment: String?) throws(Failure) {
    guard self.pin(for: environment) != pin else { return }
    pins[environment ?? Self.unnamed] = pin
    try write()
  }

  private func write() throws(Failure) {
    var text = "# The store of each environment of keyplan.yaml. Keep this file in git.\n"
    for (name, pin) in pins.sorted(by: { $0.key < $1.key }) {
      let serial = pin.serial.map { " serial \($0)" } ?? ""
      text += "\(name) \(pin.store) \(pin.roots.prefix(2).joined(separator: " next "))\(serial)\n"
    }
    do throws(FileError) {
      try AtomicFile.replace(path, with: Array(text.utf8))
    } catch {
      throw Failure(error, "Cannot write keyplan.lock")
    }
    world.publish(path)
  }

  package static let unnamed = "default"
}
