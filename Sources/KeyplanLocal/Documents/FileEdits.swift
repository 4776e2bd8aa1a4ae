import KeyplanDocuments
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension FileTarget {
  /// Edits name after name. An edit that throws changes nothing, so editing continues with the other names.
  /// - Returns: the reasons that names were not edited.
  static func edit(
    _ document: inout Content, _ changes: TargetChanges, leavingOut left: Set<String> = []
  ) -> [String: AccessFailure] {
    var refused: [String: AccessFailure] = [:]
    for (name, value) in changes.set where !left.contains(name) {
      guard value.withBytes({ ValueFault(in: $0) }) != .holdsNUL else {
        let reason = "The value of \"\(name)\" contains a NUL byte, which cannot be written."
        refused[name] = AccessFailure(.unreadable, reason)
        continue
      }
      do throws(DocumentError) { try edit(&document, name, value) } catch {
        refused[name] = AccessFailure(error, at: name)
      }
    }
    for name in changes.remove where !left.contains(name) {
      do throws(DocumentError) { try edit(&document, name, nil) } catch {
        refused[name] = AccessFailure(error, at: name)
      }
    }
    return refused
  }

  private static func edit(
    _ document: inout Content, _ name: String, _ value: SecretBox?
  ) throws(DocumentError) {
    guard let value else { return try document.remove(name) }
    try document.set(name, to: value.withBytes { Array($0) })
  }

  /// The edited file, without the edits after which it could be understood differently: they are added to `refused`.
  static func finished(
    _ document: Content, from start: Content, _ changes: TargetChanges, _ refused: inout [String: AccessFailure]
  ) throws(AccessFailure) -> [UInt8] {
    do throws(DocumentError) {
      do throws(DocumentError) { return try document.finished() } catch {
        let values = Dictionary(changes.set.map { ($0.name, $0.value) }) { first, _ in first }
        let names = changes.names.filter { refused[$0] == nil }
        let faulty = start.unfinished(names) { document, name throws(DocumentError) in
          try edit(&document, name, values[name])
        }
        guard !faulty.isEmpty else { throw error }
        for (name, error) in faulty { refused[name] = AccessFailure(error, at: name) }
        var document = start
        _ = edit(&document, changes, leavingOut: Set(refused.keys))
        return try document.finished()
      }
    } catch {
      throw AccessFailure(error)
    }
  }

  static func results(_ changes: TargetChanges, _ refused: [String: AccessFailure]) -> [String: WriteResult] {
    changes.all(.done()).merging(refused.mapValues { .refused($0) }) { $1 }
  }
}
