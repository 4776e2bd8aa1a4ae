internal import KeyplanAge
internal import KeyplanFiles
internal import KeyplanModel
internal import KeyplanReporting
internal import KeyplanSecrets

/// The text of a file with age identities, one on a line, which can be changed without losing comments.
struct IdentityFile {
  /// An identity with the comments that `keyplan identity new` and `age-keygen` write before it.
  struct Entry {
    let recipient: String
    let range: Range<Int>
  }

  let path: String
  let entries: [Entry]
  private let text: SecretBox

  /// - Throws: if the file is anything else: an SSH key, or encrypted, or sealed.
  init(_ path: String) throws(Failure) {
    var bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.readPrivate(path, limit: 1 << 20)
    } catch {
      throw Failure(error, "Identity not replaced")
    }
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    self.path = path
    text = SecretBox(Secret(count: bytes.count) { $0.copyBytes(from: bytes) })
    guard let entries = Self.entries(of: bytes, after: try ByteOrderMark.length(in: bytes, path)) else {
      throw .cannotBeExtended(path)
    }
    self.entries = entries
  }

  private static func entries(of bytes: [UInt8], after markLength: Int) -> [Entry]? {
    var entries: [Entry] = []
    var start = markLength
    /// The start of the comments of the next identity.
    var comments: Int?
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
      let line = bytes[start..<end].drop { $0 <= 0x20 }
      if line.starts(with: "# created: ".utf8) || line.starts(with: "# public key: ".utf8) {
        comments = comments ?? start
      } else if line.isEmpty || line.first == UInt8(ascii: "#") {
        comments = nil
      } else {
        let identity = line.withUnsafeBytes { try? Identity(parsing: Secret(copying: $0)) }
        guard let identity else { return nil }
        entries.append(Entry(recipient: identity.recipient.description, range: (comments ?? start)..<end))
        comments = nil
      }
      start = end
    }
    return entries.isEmpty ? nil : entries
  }

  /// Adds an identity at the end, and replaces the file.
  func append(_ identity: Identity, at now: Moment) throws(Failure) {
    var added = try Identities.lines(of: identity, at: now)
    defer { added.withUnsafeMutableBytes { zero($0) } }
    try replace { old in
      var new: [UInt8] = []
      new.reserveCapacity(old.count + added.count + 1)
      new += old
      if old.last != UInt8(ascii: "\n") { new.append(UInt8(ascii: "\n")) }
      new += added
      return new
    }
  }

  /// Removes the identities of these recipients, and replaces the file.
  func remove(_ recipients: Set<String>) throws(Failure) {
    let ranges = entries.filter { recipients.contains($0.recipient) }.map(\.range)
    try replace { old in
      var new: [UInt8] = []
      new.reserveCapacity(old.count)
      for index in old.indices where !ranges.contains(where: { $0.contains(index) }) { new.append(old[index]) }
      return new
    }
  }

  /// A file that changed since it was read is not overwritten.
  private func replace(_ change: (UnsafeRawBufferPointer) -> [UInt8]) throws(Failure) {
    var (old, new) = text.withBytes { (Array($0), change($0)) }
    defer {
      old.withUnsafeMutableBytes { zero($0) }
      new.withUnsafeMutableBytes { zero($0) }
    }
    do throws(FileError) {
      try AtomicFile.replace(path, with: new, expecting: old)
    } catch {
      throw Failure(error, "Identity not replaced")
    }
  }
}

extension Failure {
  fileprivate static func cannotBeExtended(_ path: String) -> Failure {
    Failure(
      .usage, "Separate file required",
      "No second identity can be added to \(path): it is an SSH key, or encrypted, or sealed by a service.",
      hint: "Name a file for the new identity: keyplan identity replace --new FILE")
  }
}
