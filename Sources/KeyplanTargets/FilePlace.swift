import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles

/// Where a destination's file is, and which folder it may not leave.
struct FilePlace {
  let path: String
  private let root: String?

  init(_ destination: Destination, in context: TargetContext) throws(TargetFailure) {
    // What was allowed is what is opened. Inside the folder nothing needs allowing, so no link may lead out of it.
    let allowed = destination.surface.flatMap { $0.kind == .path ? $0.text : nil }
    let path = allowed ?? destination.location
    root = allowed == nil ? context.folder : nil
    if path == "~" || path.hasPrefix("~/") {
      guard let home = context.home else {
        throw TargetFailure(reason: "“~” stands for a home directory, and none is known here.")
      }
      self.path = home + path.dropFirst()
    } else {
      self.path = path.hasPrefix("/") ? path : context.folder + "/" + path
    }
  }

  /// Nil where there is no file.
  func read() throws(TargetFailure) -> [UInt8]? {
    do throws(FileError) {
      return try SafeFile.read(path, limit: DocumentLimit.bytes, within: root)
    } catch {
      if error.code == .notFound { return nil }
      throw TargetFailure(error)
    }
  }

  func replace(with bytes: [UInt8]) throws(TargetFailure) {
    do throws(FileError) {
      try AtomicFile.replace(path, with: bytes, within: root)
    } catch {
      throw TargetFailure(error)
    }
  }
}

extension TargetFailure {
  init(_ error: FileError) {
    let isUnreachable =
      switch error.code {
      case .io, .busy: true
      default: false
      }
    let sentence = error.description.prefix(1).uppercased() + error.description.dropFirst() + "."
    self.init(isUnreachable: isUnreachable, reason: sentence)
  }

  /// - Parameter name: the entry at fault, if it is one.
  init(_ error: DocumentError, at name: String? = nil) {
    let place = error.place.map { "Line \($0.line), column \($0.column): " } ?? ""
    self.init(reason: (name.map { "\($0): " } ?? place) + error.detail)
  }
}
