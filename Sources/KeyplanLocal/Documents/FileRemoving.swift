import KeyplanDocuments
import KeyplanFiles
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension SourceContext {
  /// Removes a value from a file if it is unchanged.
  func remove(
    _ reference: Reference, holding value: SecretBox, from type: (some EditableDocument).Type
  ) throws(AccessFailure) {
    let place = try known(reference)
    guard let before = try Self.read(place, limit: DocumentLimit.bytes) else { return }
    guard let after = try Self.edited(before, type, without: reference.selector ?? "", value) else { return }
    do throws(FileError) {
      try place.replace(with: after, expecting: before)
    } catch {
      throw AccessFailure(error)
    }
  }

  /// Deletes a file if it contains only this value.
  func removeFile(_ reference: Reference, holding value: SecretBox) throws(AccessFailure) {
    let place = try known(reference)
    guard let whole = try Self.read(place, limit: SourceAnswer.valueLimit + 2) else { return }
    let isValue = whole.withUnsafeBytes { whole in
      value.withBytes { $0.elementsEqual(whole) || $0.compared.elementsEqual(whole.lineOrLines.compared) }
    }
    guard isValue else { throw .changed }
    do throws(FileError) {
      try place.remove(expecting: whole)
    } catch {
      throw AccessFailure(error)
    }
  }

  /// Removes the file that a killed run left next to a file.
  func removeLeftovers(at reference: Reference) { place(of: reference)?.removeLeftOver() }

  private func known(_ reference: Reference) throws(AccessFailure) -> FilePlace {
    guard let place = place(of: reference) else {
      throw AccessFailure(.unreadable, "The path begins with ~, but the home directory is unknown.")
    }
    return place
  }

  /// Nil if the file does not exist.
  private static func read(_ place: FilePlace, limit: Int) throws(AccessFailure) -> [UInt8]? {
    do throws(FileError) {
      return try place.read(limit: limit)
    } catch {
      if error.code == .notFound { return nil }
      throw AccessFailure(error)
    }
  }

  /// Nil if there is no value with this name.
  private static func edited<Content: EditableDocument>(
    _ bytes: [UInt8], _ type: Content.Type, without name: String, _ value: SecretBox
  ) throws(AccessFailure) -> [UInt8]? {
    var document: Content
    let found: DocumentValue?
    do throws(DocumentError) {
      document = try Content(bytes)
      found = try document.value(at: name)
    } catch {
      throw AccessFailure(.unreadable, error.detail)
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
      throw AccessFailure(.unreadable, error.detail)
    }
  }
}

extension AccessFailure {
  fileprivate static let changed = AccessFailure(.unreadable, "The value was changed meanwhile.")
}
