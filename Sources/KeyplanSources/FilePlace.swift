import KeyplanApply
import KeyplanCore
import KeyplanFiles

/// Where a reference's file is, and which folder it may not leave.
struct FilePlace: Hashable {
  let path: String
  private let root: String?

  /// Nil where `~` stands for nothing.
  init?(_ reference: Reference, in context: SourceContext) {
    // What was allowed is what is opened. Inside the folder nothing needs allowing, so no link may lead out of it.
    let allowed = reference.surface.flatMap { $0.kind == .path ? $0.text : nil }
    guard let path = Self.absolute(allowed ?? reference.location, in: context) else { return nil }
    self.path = path
    root = allowed == nil ? context.folder : nil
  }

  func read(limit: Int) throws(FileError) -> [UInt8] {
    try SafeFile.read(path, limit: limit, within: root)
  }

  func replace(with bytes: [UInt8]) throws(FileError) { try AtomicFile.replace(path, with: bytes, within: root) }

  func remove() throws(FileError) { try AtomicFile.remove(path, within: root) }

  private static func absolute(_ path: String, in context: SourceContext) -> String? {
    if path == "~" || path.hasPrefix("~/") { return context.home.map { $0 + path.dropFirst() } }
    return path.hasPrefix("/") ? path : context.folder + "/" + path
  }
}
