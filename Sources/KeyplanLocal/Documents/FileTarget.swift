package import KeyplanDocuments
import KeyplanFiles
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// A file whose values are set and removed in place.
///
/// A new file gets mode 0600, an existing one keeps its mode. Directories are not created: a missing one is more likely
/// a typing error in the path. A file from which all values were removed stays, empty, unless the value is the file.
package struct FileTarget<Content: EditableValues>: SecretTarget {
  package let backend: BackendDescription
  private let context: TargetContext
  /// Parses the content of a file with this path; an empty one for a missing file.
  private let parse: @Sendable ([UInt8], String) throws(AccessFailure) -> Content
  private let meanwhile: @Sendable () -> Void

  /// Relative paths are resolved in the context's folder.
  /// - Parameter meanwhile: called between reading and replacing; for tests.
  package init(
    _ context: TargetContext, meanwhile: @escaping @Sendable () -> Void = {}
  ) where Content: DocumentBackend {
    self.init(
      context, Content.backend,
      parse: { (bytes, _) throws(AccessFailure) in
        do throws(DocumentError) { return try Content(bytes) } catch { throw AccessFailure(error) }
      }, meanwhile: meanwhile)
  }

  init(
    _ context: TargetContext, _ backend: BackendDescription,
    parse: @escaping @Sendable ([UInt8], String) throws(AccessFailure) -> Content,
    meanwhile: @escaping @Sendable () -> Void = {}
  ) {
    self.context = context
    self.backend = backend
    self.parse = parse
    self.meanwhile = meanwhile
  }

  /// Reads and parses the file once.
  package func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    var sight = TargetSight(.values([:]))
    do throws(AccessFailure) {
      let place = try place(of: destination)
      if backend.target?.hasMode == true {
        sight.mode = place.mode.map { FileMode(bits: UInt16(truncatingIfNeeded: $0)) }
      }
      let refusal = question.intent == nil ? nil : refusal(of: place, destination)
      if let refusal { sight.writeBlockers.place = WriteBlocker(reason: refusal.reason) }
      guard !question.names.isEmpty || question.intent?.isEmpty == false, let bytes = try Self.read(place) else {
        if question.intent != nil, refusal == nil {
          let creates = question.intent?.isEmpty == false
          sight.writeBlockers.place = Self.blocker(to: place) ?? (creates ? blocker(toCreating: destination) : nil)
        }
        return sight
      }
      let document = try parse(bytes, destination.location)
      sight.answer = values(of: question.names, in: document, destination)
      sight.placeId = document.placeId
      if let intent = question.intent, refusal == nil {
        sight.writeBlockers = WriteBlockers(trying: intent, in: document, at: destination)
        sight.writeBlockers.place = Self.blocker(to: place)
      }
    } catch {
      sight.answer = .failed(error)
      if question.intent != nil {
        sight.writeBlockers = WriteBlockers(place: WriteBlocker(error))
      }
    }
    return sight
  }

  private static func blocker(to place: FilePlace) -> WriteBlocker? {
    do throws(FileError) {
      try place.requireReplaceable()
      return nil
    } catch {
      return WriteBlocker(error)
    }
  }

  private func blocker(toCreating destination: Destination) -> WriteBlocker? {
    do throws(AccessFailure) {
      _ = try parse([], destination.location)
      return nil
    } catch {
      return WriteBlocker(error)
    }
  }

  /// Replaces the whole file, if that changes its content or mode.
  package func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let place = try place(of: destination)
    if let refusal = refusal(of: place, destination) { throw refusal }
    let before = try Self.read(place)
    let start = try parse(before ?? [], destination.location)
    var document = start
    var refused = Self.edit(&document, changes)
    if document.isRemoved {
      if let before { try remove(place, expecting: before) } else { place.removeLeftOver() }
      return Self.results(changes, refused)
    }
    // Without a value there is nothing that a new file, or another mode, would be for.
    guard changes.names.isEmpty || refused.count < changes.names.count else { return Self.results(changes, refused) }
    let after = try Self.finished(document, from: start, changes, &refused)
    let results = Self.results(changes, refused)
    guard refused.isEmpty || refused.count < changes.names.count else { return results }
    let mode = changes.mode.map { UInt32($0.bits) }
    guard after != before ?? [] || mode.map({ $0 != place.mode }) ?? false else {
      // A replacement removes it, too.
      place.removeLeftOver()
      return results
    }
    meanwhile()
    do throws(FileError) {
      try place.replace(with: after, expecting: before, mode: mode)
    } catch {
      throw AccessFailure(error)
    }
    return results
  }

  package func removeLeftovers(at destination: Destination) async {
    if let place = try? place(of: destination), refusal(of: place, destination) == nil { place.removeLeftOver() }
  }

  private func remove(_ place: FilePlace, expecting before: [UInt8]) throws(AccessFailure) {
    meanwhile()
    do throws(FileError) {
      try place.remove(expecting: before)
    } catch {
      throw AccessFailure(error)
    }
  }

  private func place(of destination: Destination) throws(AccessFailure) -> FilePlace {
    let allowed = destination.surface.flatMap { $0.kind == .path ? $0.text : nil }
    guard
      let place = FilePlace(destination.location, allowed: allowed, in: context.folder, home: context.home)
    else { throw AccessFailure(.unreadable, "The path begins with ~, but the home directory is unknown.") }
    return place
  }

  /// The manifest's reader checks this as well, but not links created later or paths outside of the folder.
  private func refusal(of place: FilePlace, _ destination: Destination) -> AccessFailure? {
    let path = destination.location
    return context.role(place.path).map {
      AccessFailure(
        .unreadable,
        KnownFiles.isName($0, of: path)
          ? "A target cannot write \(path)." : "\(path) is \($0), which a target cannot write.")
    }
  }

  /// Nil if the file does not exist.
  private static func read(_ place: FilePlace) throws(AccessFailure) -> [UInt8]? {
    do throws(FileError) {
      return try place.read(limit: DocumentLimit.bytes)
    } catch {
      if error.code == .notFound { return nil }
      throw AccessFailure(error)
    }
  }

  private func values(of names: Set<String>, in document: Content, _ destination: Destination) -> TargetAnswer {
    var values: [String: TargetValue] = [:]
    var failures: [String: AccessFailure] = [:]
    for name in names {
      do throws(DocumentError) {
        switch try document.value(at: name) {
        // null means that no value is set, as at a source.
        case nil, .other(.null): continue
        // A value that no key can have is not read as text, either.
        case .text(let bytes): values[name] = ValueFault(in: bytes) == .holdsNUL ? .other : .text(SecretBox(bytes))
        case .other: values[name] = .other
        }
      } catch {
        failures[name] = AccessFailure(.unreadable, error.sentence(in: destination))
        failures[name]?.isAboutContent = true
      }
    }
    return TargetAnswer(values, failures: failures, of: names)
  }
}

extension TargetQuestion.Intent {
  fileprivate var isEmpty: Bool { setting.isEmpty && removing.isEmpty }
}
