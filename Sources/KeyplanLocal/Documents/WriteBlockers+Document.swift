import KeyplanApply
import KeyplanCore
import KeyplanDocuments

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
    _ names: Set<String>, in document: Content, _ destination: Destination,
    _ edit: (inout Content, String) throws(DocumentError) -> Void
  ) -> [String: WriteBlocker] {
    var document = document
    var found: [String: WriteBlocker] = [:]
    for name in names.sorted() {
      do throws(DocumentError) {
        try edit(&document, name)
      } catch {
        let place = error.place.map { ":\($0.line):\($0.column)" } ?? ""
        found[name] = WriteBlocker(reason: "\(destination.location)\(place): \(error.detail)")
        found[name]?.isAboutContent = true
      }
    }
    if found.isEmpty {
      do throws(DocumentError) { _ = try document.finished() } catch {
        for name in names {
          found[name] = WriteBlocker(reason: "\(destination.location): \(error.detail)")
          found[name]?.isAboutContent = true
        }
      }
    }
    return found
  }
}
