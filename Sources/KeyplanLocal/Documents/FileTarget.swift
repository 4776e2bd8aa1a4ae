import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles
import KeyplanSecrets

/// A file whose values are set and removed in place.
///
/// A new file has mode 0600, an existing one keeps its own. Directories are not made: one that is missing is more likely a
/// slip in the path than a wish. A file from which everything was withdrawn stays, empty.
struct FileTarget<Content: EditableDocument>: Sendable {
  private let context: TargetContext
  private let meanwhile: @Sendable () -> Void

  /// - Parameter meanwhile: runs between reading and replacing; for tests.
  init(_ context: TargetContext, meanwhile: @escaping @Sendable () -> Void = {}) {
    self.context = context
    self.meanwhile = meanwhile
  }

  func read(_ names: Set<String>, at destination: Destination) -> TargetAnswer {
    do throws(TargetFailure) {
      guard let bytes = try Self.read(try place(of: destination)) else { return .values([:]) }
      return .values(try values(of: names, in: try document(bytes)))
    } catch {
      return error.isUnreachable ? .unreachable(error.reason) : .unreadable(error.reason)
    }
  }

  func obstacles(setting: Set<String>, removing: Set<String>, at destination: Destination) -> Obstacles {
    do throws(TargetFailure) {
      let place = try place(of: destination)
      if let refusal = refusal(of: place, destination) { throw refusal }
      var obstacles = Obstacles()
      do throws(FileError) {
        try place.requireReplaceable()
      } catch {
        obstacles.place = Obstacle(error)
      }
      guard !setting.isEmpty || !removing.isEmpty, let bytes = try Self.read(place) else { return obstacles }
      let document = try document(bytes)
      // An edit that throws has changed nothing, so that all names can be tried on one copy.
      obstacles.setting = Self.trying(setting, in: document, destination) { document, name throws(DocumentError) in
        try document.set(name, to: Array("placeholder".utf8))
      }
      obstacles.removing = Self.trying(removing, in: document, destination) { document, name throws(DocumentError) in
        try document.remove(name)
      }
      return obstacles
    } catch {
      return Obstacles(place: Obstacle(reason: error.reason))
    }
  }

  private static func trying(
    _ names: Set<String>, in document: Content, _ destination: Destination,
    _ edit: (inout Content, String) throws(DocumentError) -> Void
  ) -> [String: Obstacle] {
    var document = document
    var found: [String: Obstacle] = [:]
    for name in names.sorted() {
      do throws(DocumentError) {
        try edit(&document, name)
      } catch {
        let place = error.place.map { ":\($0.line):\($0.column)" } ?? ""
        found[name] = Obstacle(reason: "\(destination.location)\(place): \(error.detail)")
      }
    }
    if found.isEmpty {
      do throws(DocumentError) { _ = try document.finished() } catch {
        for name in names { found[name] = Obstacle(reason: "\(destination.location): \(error.detail)") }
      }
    }
    return found
  }

  func mode(at destination: Destination) -> FileMode? {
    (try? place(of: destination))?.mode.map { FileMode(bits: UInt16(truncatingIfNeeded: $0)) }
  }

  func write(_ changes: TargetChanges, at destination: Destination) throws(TargetFailure) {
    let place = try place(of: destination)
    if let refusal = refusal(of: place, destination) { throw refusal }
    let before = try Self.read(place)
    var document = try document(before ?? [])
    for (name, value) in changes.set { try set(name, to: value, in: &document) }
    for name in changes.remove {
      do throws(DocumentError) {
        try document.remove(name)
      } catch {
        throw TargetFailure(error, at: name)
      }
    }
    let after = try finished(document)
    let mode = changes.mode.map { UInt32($0.bits) }
    guard after != before ?? [] || mode.map({ $0 != place.mode }) ?? false else { return }
    meanwhile()
    do throws(FileError) {
      try place.replace(with: after, expecting: before, mode: mode)
    } catch {
      throw TargetFailure(error)
    }
  }

  private func place(of destination: Destination) throws(TargetFailure) -> FilePlace {
    let allowed = destination.surface.flatMap { $0.kind == .path ? $0.text : nil }
    guard
      let place = FilePlace(destination.location, allowed: allowed, in: context.folder, home: context.home)
    else { throw TargetFailure(reason: "“~” stands for a home directory, and none is known here.") }
    return place
  }

  /// The manifest's reader says it first; here it is said of links that were made since, and of places outside of the folder.
  private func refusal(of place: FilePlace, _ destination: Destination) -> TargetFailure? {
    let path = destination.location
    return context.role(place.path).map {
      TargetFailure(
        reason: KnownFiles.isName($0, of: path)
          ? "No target may write \(path)." : "\(path) is \($0), which no target may write.")
    }
  }

  /// Nil where there is no file.
  private static func read(_ place: FilePlace) throws(TargetFailure) -> [UInt8]? {
    do throws(FileError) {
      return try place.read(limit: DocumentLimit.bytes)
    } catch {
      if error.code == .notFound { return nil }
      throw TargetFailure(error)
    }
  }

  private func document(_ bytes: [UInt8]) throws(TargetFailure) -> Content {
    do throws(DocumentError) {
      return try Content(bytes)
    } catch {
      throw TargetFailure(error)
    }
  }

  private func finished(_ document: Content) throws(TargetFailure) -> [UInt8] {
    do throws(DocumentError) {
      return try document.finished()
    } catch {
      throw TargetFailure(error)
    }
  }

  private func values(of names: Set<String>, in document: Content) throws(TargetFailure) -> [String: TargetValue] {
    var values: [String: TargetValue] = [:]
    for name in names {
      do throws(DocumentError) {
        switch try document.value(at: name) {
        case nil: continue
        // What can be no key's value is never taken in from here either.
        case .text(let bytes): values[name] = ValueFault(in: bytes) == .holdsNUL ? .other : .text(SharedSecret(bytes))
        case .other: values[name] = .other
        }
      } catch {
        throw TargetFailure(error, at: name)
      }
    }
    return values
  }

  private func set(_ name: String, to value: SharedSecret, in document: inout Content) throws(TargetFailure) {
    guard value.withBytes({ ValueFault(in: $0) }) != .holdsNUL else {
      throw TargetFailure(reason: "The value of \(name) holds a NUL byte, which no program takes.")
    }
    do throws(DocumentError) {
      try document.set(name, to: value.withBytes { Array($0) })
    } catch {
      throw TargetFailure(error, at: name)
    }
  }
}
