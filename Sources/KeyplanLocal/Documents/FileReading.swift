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
    // By what their places are made of: to make one for each reference would cost more than to look it up.
    for indices in Dictionary(grouping: references.indices, by: { FileName(of: references[$0]) }).values {
      let inside = indices.count == references.count ? references : indices.map { references[$0] }
      guard let first = inside.first, let place = place(of: first) else { continue }
      let found: [SourceAnswer]
      do throws(FileError) {
        found = answers(try place.read(limit: limit), inside)
      } catch {
        found = Array(repeating: SourceAnswer(error), count: indices.count)
      }
      for (index, answer) in zip(indices, found) { all[index] = answer }
    }
    return all
  }

  /// Where a reference's file is; nil where `~` stands for nothing.
  func place(of reference: Reference) -> FilePlace? {
    let name = FileName(of: reference)
    return FilePlace(name.location, allowed: name.allowed, in: folder, home: home)
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

/// What a reference says of its file.
private struct FileName: Hashable {
  let location: String
  let allowed: String?

  init(of reference: Reference) {
    location = reference.location
    allowed = reference.surface.flatMap { $0.kind == .path ? $0.text : nil }
  }
}

extension Document {
  /// What stands at the reference's selector. `null` says that there is no value, so it is *missing*.
  fileprivate func answer(to reference: Reference, whenEmpty: SourceAnswer) -> SourceAnswer {
    do throws(DocumentError) {
      return switch try value(at: reference.selector ?? "") {
      case nil, .other(.null): .missing()
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
