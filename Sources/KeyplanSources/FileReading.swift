import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles

extension SourceContext {
  /// Reads each file once, however many references lead into it, and holds one at a time.
  ///
  /// - Parameters:
  ///   - limit: the most bytes of one file.
  ///   - answers: one answer for each reference into a file.
  func read(
    _ references: [Reference], limit: Int, answers: (_ file: consuming [UInt8], [Reference]) -> [SourceAnswer]
  ) -> [SourceAnswer] {
    var all = [SourceAnswer](
      repeating: .unreachable("“~” stands for a home directory, and none is known here."), count: references.count)
    for (place, indices) in Dictionary(grouping: references.indices, by: { place(of: references[$0]) }) {
      guard let place else { continue }
      let found: [SourceAnswer]
      do throws(FileError) {
        found = answers(try place.read(limit: limit), indices.map { references[$0] })
      } catch {
        found = Array(repeating: SourceAnswer(error), count: indices.count)
      }
      for (index, answer) in zip(indices, found) { all[index] = answer }
    }
    return all
  }

  /// Where a reference's file is; nil where `~` stands for nothing.
  func place(of reference: Reference) -> FilePlace? {
    let allowed = reference.surface.flatMap { $0.kind == .path ? $0.text : nil }
    return FilePlace(reference.location, allowed: allowed, in: folder, home: home)
  }

  /// Reads and parses each file once, then looks the selectors up.
  func read(
    _ references: [Reference], as type: (some Document).Type, whenEmpty: SourceAnswer = .empty
  ) -> [SourceAnswer] {
    read(references, limit: DocumentLimit.bytes) { bytes, references in
      do throws(DocumentError) {
        let document = try type.init(bytes)
        return references.map { document.answer(to: $0, whenEmpty: whenEmpty) }
      } catch {
        return Array(repeating: SourceAnswer(error), count: references.count)
      }
    }
  }
}

extension Document {
  /// What stands at the reference's selector. `null` says that there is no value, so it is *missing*.
  fileprivate func answer(to reference: Reference, whenEmpty: SourceAnswer) -> SourceAnswer {
    do throws(DocumentError) {
      return switch try value(at: reference.selector ?? "") {
      case nil, .other(.null): .missing
      case .text(let bytes): SourceAnswer(bytes, whenEmpty: whenEmpty)
      case .other(.object): .unreadable("It is an object, not a string.")
      case .other(.array): .unreadable("It is a list, not a string.")
      case .other(.data): .unreadable("It is data, not a string.")
      }
    } catch {
      return SourceAnswer(error)
    }
  }
}
