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

  func obstacle(at destination: Destination) -> Obstacle? {
    guard let place = try? place(of: destination) else { return nil }
    do throws(FileError) {
      try place.requireReplaceable()
      return nil
    } catch {
      return Obstacle(error)
    }
  }

  func write(_ changes: TargetChanges, at destination: Destination) throws(TargetFailure) {
    let place = try place(of: destination)
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
    guard after != before ?? [] else { return }
    meanwhile()
    do throws(FileError) {
      try place.replace(with: after, expecting: before)
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
        case .text(let bytes): values[name] = .text(SharedSecret(bytes))
        case .other: values[name] = .other
        }
      } catch {
        throw TargetFailure(error, at: name)
      }
    }
    return values
  }

  private func set(_ name: String, to value: SharedSecret, in document: inout Content) throws(TargetFailure) {
    guard !value.withBytes({ $0.contains(0) }) else {
      throw TargetFailure(reason: "The value of \(name) holds a NUL byte, which no program takes.")
    }
    do throws(DocumentError) {
      try document.set(name, to: value.withBytes { Array($0) })
    } catch {
      throw TargetFailure(error, at: name)
    }
  }
}
