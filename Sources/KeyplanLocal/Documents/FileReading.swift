import KeyplanDocuments
import KeyplanFiles
import KeyplanModel
import KeyplanPorts

extension SourceContext {
  /// Reads each file once, however many references use it, and keeps only one in memory.
  ///
  /// - Parameters:
  ///   - limit: the maximum size of a file in bytes.
  ///   - answers: returns one answer for each reference to a file.
  func read(
    _ references: [Reference], limit: Int, answers: (_ file: consuming [UInt8], [Reference]) -> [SourceAnswer]
  ) -> [SourceAnswer] {
    var all = [SourceAnswer](
      repeating: .unreachable("The path begins with ~, but the home directory is unknown."), count: references.count)
    // Grouped by file name: resolving the path for each reference would cost more than the lookup.
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

  /// The location of a reference's file; nil if it begins with `~` and there is no home directory.
  func place(of reference: Reference) -> FilePlace? {
    let name = FileName(of: reference)
    return FilePlace(name.location, allowed: name.allowed, in: folder, home: home)
  }

  /// Reads and parses each file once, then looks up the selectors.
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

/// The file of a reference.
private struct FileName: Hashable {
  let location: String
  let allowed: String?

  init(of reference: Reference) {
    location = reference.location
    allowed = reference.surface.flatMap { $0.kind == .path ? $0.text : nil }
  }
}

extension NamedValues {
  /// The value at the reference's selector. An explicit `null` is *missing*.
  func answer(to reference: Reference, whenEmpty: SourceAnswer) -> SourceAnswer {
    do throws(DocumentError) {
      return switch try value(at: reference.selector ?? "") {
      case nil, .other(.null): .missing()
      case .text(let bytes): SourceAnswer(bytes, whenEmpty: whenEmpty)
      case .other(.object): .unreadable("The value is an object, not a string.")
      case .other(.array): .unreadable("The value is a list, not a string.")
      case .other(.data): .unreadable("The value is data, not a string.")
      case .other(.joined): .unreadable("The value has text after its closing quote, which only a shell appends.")
      case .other(.tagged): .unreadable("The value has a tag that only its own program understands.")
      }
    } catch {
      return SourceAnswer(error)
    }
  }
}
