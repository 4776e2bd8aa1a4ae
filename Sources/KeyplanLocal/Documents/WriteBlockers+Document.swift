import KeyplanDocuments
import KeyplanModel
import KeyplanPorts

extension WriteBlockers {
  /// The names that cannot be set or removed in a document, found by trying each of them.
  init(trying intent: TargetQuestion.Intent, in document: some EditableValues, at destination: Destination) {
    // An edit that throws changes nothing, so one copy is enough to try all names.
    self.init(
      setting: Self.trying(intent.setting, in: document, destination) { document, name throws(DocumentError) in
        try document.set(name, to: Array("placeholder".utf8))
      },
      removing: Self.trying(intent.removing, in: document, destination) { document, name throws(DocumentError) in
        try document.remove(name)
      })
  }

  private static func trying<Content: EditableValues>(
    _ names: Set<String>, in start: Content, _ destination: Destination,
    _ edit: (inout Content, String) throws(DocumentError) -> Void
  ) -> [String: WriteBlocker] {
    var document = start
    var found: [String: WriteBlocker] = [:]
    for name in names.sorted() {
      do throws(DocumentError) {
        try edit(&document, name)
      } catch {
        found[name] = WriteBlocker(error, in: destination)
      }
    }
    if (try? document.finished()) == nil {
      for (name, error) in start.unfinished(names.subtracting(found.keys).sorted(), edit) {
        found[name] = WriteBlocker(error, in: destination)
      }
    }
    return found
  }
}

extension WriteBlocker {
  fileprivate init(_ error: DocumentError, in destination: Destination) {
    self.init(reason: error.sentence(in: destination))
    isAboutContent = true
  }
}

extension DocumentError {
  /// The error, after its location.
  func sentence(in destination: Destination) -> String {
    "\(destination.location)\(place.map { ":\($0.line):\($0.column)" } ?? ""): \(detail)"
  }
}

extension EditableValues {
  /// The names whose edits leave a file that another reader could understand differently, found by halves, because each
  /// check reads the whole file.
  func unfinished(
    _ names: [String], _ edit: (inout Self, String) throws(DocumentError) -> Void
  ) -> [(String, DocumentError)] {
    var document = self
    do throws(DocumentError) {
      for name in names { try edit(&document, name) }
      _ = try document.finished()
      return []
    } catch {
      guard names.count > 1 else { return names.map { ($0, error) } }
      let half = names.count / 2
      return unfinished(Array(names[..<half]), edit) + unfinished(Array(names[half...]), edit)
    }
  }
}
