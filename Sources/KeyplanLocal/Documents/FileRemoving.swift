import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles
import KeyplanSecrets

extension SourceContext {
  /// Takes a value out of a file, and nothing else, if it is still there.
  func remove(
    _ reference: Reference, holding value: SharedSecret, from type: (some EditableDocument).Type
  ) throws(RemovalFailure) {
    let place = try known(reference)
    guard let before = try Self.read(place, limit: DocumentLimit.bytes) else { return }
    guard let after = try Self.edited(before, type, without: reference.selector ?? "", value) else { return }
    do throws(FileError) {
      try place.replace(with: after, expecting: before)
    } catch {
      throw RemovalFailure(error)
    }
  }

  /// Takes a file away, if it still holds this value and nothing else.
  func removeFile(_ reference: Reference, holding value: SharedSecret) throws(RemovalFailure) {
    let place = try known(reference)
    guard let whole = try Self.read(place, limit: SourceAnswer.valueLimit + 2) else { return }
    var bytes = whole
    dropTrailingNewline(&bytes)
    guard value.withBytes({ $0.elementsEqual(bytes) || $0.elementsEqual(whole) }) else { throw .changed }
    do throws(FileError) {
      try place.remove(expecting: whole)
    } catch {
      throw RemovalFailure(error)
    }
  }

  private func known(_ reference: Reference) throws(RemovalFailure) -> FilePlace {
    guard let place = place(of: reference) else {
      throw RemovalFailure(reason: "“~” stands for a home directory, and none is known here.")
    }
    return place
  }

  /// Nil where there is no file.
  private static func read(_ place: FilePlace, limit: Int) throws(RemovalFailure) -> [UInt8]? {
    do throws(FileError) {
      return try place.read(limit: limit)
    } catch {
      if error.code == .notFound { return nil }
      throw RemovalFailure(error)
    }
  }

  /// Nil where nothing stands under the name.
  private static func edited<Content: EditableDocument>(
    _ bytes: [UInt8], _ type: Content.Type, without name: String, _ value: SharedSecret
  ) throws(RemovalFailure) -> [UInt8]? {
    var document: Content
    let found: DocumentValue?
    do throws(DocumentError) {
      document = try Content(bytes)
      found = try document.value(at: name)
    } catch {
      throw RemovalFailure(reason: error.detail)
    }
    switch found {
    case nil, .other(.null)?: return nil
    case .text(let text)? where value.withBytes({ $0.elementsEqual(text) }): break
    case .some: throw .changed
    }
    do throws(DocumentError) {
      try document.remove(name)
      return try document.finished()
    } catch {
      throw RemovalFailure(reason: error.detail)
    }
  }
}

extension RemovalFailure {
  fileprivate static let changed = RemovalFailure(reason: "It holds another value by now.")

  fileprivate init(_ error: FileError) {
    let isUnreachable =
      switch error.code {
      case .io, .busy: true
      default: false
      }
    self.init(isUnreachable: isUnreachable, reason: error.sentence)
  }
}
