internal import KeyplanDocuments
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// A decrypted SOPS file whose values can be changed. Unchanged values keep their encrypted text.
///
/// The whole file is authenticated before any value of it is available.
struct SOPSDocument: EditableValues {
  private var text: any SOPSText
  private let metadata: SOPSMetadata
  private let cipher: SOPSCipher
  /// The encrypted values of the first document, and those that are not encrypted, by JSON Pointer.
  private var values: [String: SecretBox]
  private let original: [UInt8]
  private var isEdited = false
  private let now: @Sendable () -> Moment

  /// - Parameter path: its extension, in lower case, determines the format, as in SOPS.
  init(
    _ bytes: [UInt8], at path: String, _ identities: () throws(AccessFailure) -> AgeIdentities,
    now: @escaping @Sendable () -> Moment
  ) throws(AccessFailure) {
    guard !bytes.isEmpty else {
      throw AccessFailure(
        .unreadable, "The file does not exist or is empty. SOPS files are created by SOPS.",
        hint: "Create it with `sops edit`, which uses the rules in .sops.yaml.")
    }
    let format = try Self.format(of: path)
    let text: any SOPSText
    do throws(DocumentError) {
      text = try format.init(bytes)
    } catch {
      throw AccessFailure(error)
    }
    metadata = try SOPSMetadata(text)
    cipher = try metadata.cipher(try identities())
    let found = try SOPSValues(text, metadata, cipher)
    guard let mac = cipher.open(metadata.mac, at: metadata.lastModified), mac.equals(found.mac) else {
      throw AccessFailure(
        .unreadable, "The MAC of the SOPS file does not match its values: it was changed without SOPS.",
        hint: "Restore an earlier version of the file.")
    }
    (self.text, values, original, self.now) = (text, found.values, bytes, now)
  }

  private static func format(of path: String) throws(AccessFailure) -> any SOPSText.Type {
    if path.hasSuffix(".yaml") || path.hasSuffix(".yml") { return SOPSYAML.self }
    if path.hasSuffix(".env") { return SOPSDotenv.self }
    guard !path.hasSuffix(".ini") else {
      throw AccessFailure(.unreadable, "SOPS files in the INI format are not supported.")
    }
    // SOPS's binary format is JSON with one value, `data`.
    return SOPSJSON.self
  }

  /// A digest of the data key. A file with another one was encrypted again, possibly by someone who keeps its data key.
  var placeId: String? { cipher.keyId }

  func value(at name: String) throws(DocumentError) -> DocumentValue? {
    let pointer = try Self.pointer(name)
    if let value = values[pointer] { return .text(value.withBytes { Array($0) }) }
    guard !Self.isMetadata(pointer), let found = try text.value(at: pointer), case .other = found else { return nil }
    return found
  }

  mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    let pointer = try Self.pointer(name)
    guard !Self.isMetadata(pointer) else {
      throw DocumentError(.notEditable, "This name belongs to the metadata of SOPS.")
    }
    let box = SecretBox(value)
    guard values[pointer].map({ !$0.equals(box) }) ?? true else { return }
    let names = try names(to: pointer)
    var effort = LinearPattern.effort
    guard metadata.rules.encrypts(names, within: &effort) == true else {
      throw DocumentError(.notEditable, "By the rules of this SOPS file, the value would not be encrypted.")
    }
    var written: [UInt8] = []
    if box.count > 0 {
      guard Self.isUTF8(box) else { throw DocumentError(.invalidValue, "The value is not UTF-8.") }
      guard let sealed = box.withBytes({ cipher.seal($0, at: SOPSValues.place(of: names)) }) else {
        throw DocumentError(.invalidValue, "The value cannot be encrypted.")
      }
      written = sealed
    }
    try text.set(pointer, to: written)
    values[pointer] = box
    isEdited = true
  }

  mutating func remove(_ name: String) throws(DocumentError) {
    let pointer = try Self.pointer(name)
    guard !Self.isMetadata(pointer), try text.value(at: pointer) != nil else { return }
    try text.remove(pointer)
    values[pointer] = nil
    isEdited = true
  }

  /// The file with a new MAC, decrypted again to verify that nothing but the intended values changed.
  func finished() throws(DocumentError) -> [UInt8] {
    guard isEdited else { return original }
    let format = type(of: text)
    var fresh = try format.init(try text.finished())
    let mac: SecretBox
    do throws(AccessFailure) {
      let found = try SOPSValues(fresh, metadata, cipher)
      guard found.values.count == values.count,
        found.values.allSatisfy({ pointer, value in values[pointer].map { $0.equals(value) } ?? false })
      else { throw .notSOPS }
      mac = found.mac
    } catch {
      throw DocumentError(.notEditable, "The edit would change other values too.")
    }
    let time = now().description
    guard let sealed = mac.withBytes({ cipher.seal($0, at: time) }) else {
      throw DocumentError(.invalidValue, "The MAC cannot be encrypted.")
    }
    try fresh.setMetadata("lastmodified", to: Array(time.utf8))
    try fresh.setMetadata("mac", to: sealed)
    return try fresh.finished()
  }

  /// The names on the way to a value, without the indices of lists.
  private func names(to pointer: String) throws(DocumentError) -> [String] {
    guard let parts = try? NestedName(pointer).parts else { throw Self.invalidName }
    var names: [String] = []
    for (index, part) in parts.enumerated() {
      let container = index == 0 ? "" : NestedName(parts: Array(parts[..<index])).pointer
      if try text.value(at: container) != .other(.array) { names.append(part) }
    }
    return names
  }

  private static func pointer(_ name: String) throws(DocumentError) -> String {
    guard let nested = try? NestedName(name) else { throw invalidName }
    return nested.pointer
  }

  private static var invalidName: DocumentError {
    DocumentError(.invalidName, "The name must be a JSON Pointer, or a name at the top level without \"/\".")
  }

  private static func isMetadata(_ pointer: String) -> Bool {
    pointer == "/\(SOPSNames.metadata)" || pointer.hasPrefix("/\(SOPSNames.metadata)/")
      || pointer.hasPrefix("/\(SOPSNames.metadata)_")
  }

  private static func isUTF8(_ value: SecretBox) -> Bool { value.withBytes { CommandInput.isUTF8($0) } }
}
