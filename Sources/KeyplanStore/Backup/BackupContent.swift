import FoundationEssentials

/// The JSON in a backup: docs/backup.md. Names are sorted, so that the file can be described.
struct BackupContent: Codable {
  static let format = "keyplan-backup"

  var format = Self.format
  var formatVersion = 1
  let createdAt: String
  let store: String
  let serial: Int64
  let epoch: Int64
  /// The root key in hexadecimal: it proves that the backup is of the pinned store.
  let rootKey: String
  let records: [Record]

  struct Record: Codable {
    let kind: String
    /// Nil for the state.
    let name: String?
    /// As in section 5.2 of docs/store-format.md, in Base64.
    let record: Data
    let values: [Value]?
  }

  struct Value: Codable {
    /// Nil for tokens.
    var version: Int64?
    /// Whether it is the key's current value.
    var isCurrent: Bool?
    /// `access` or `refresh` for a token.
    var token: String?
    /// The value, if it is UTF-8.
    var text: String?
    /// Any other value.
    var base64: Data?

    init(version: Int64? = nil, isCurrent: Bool? = nil, token: String? = nil, _ bytes: UnsafeRawBufferPointer) {
      (self.version, self.isCurrent, self.token) = (version, isCurrent, token)
      text = String(validating: bytes, as: UTF8.self)
      if text == nil { base64 = Data(bytes) }
    }

    /// Nil unless there is exactly one form.
    var bytes: [UInt8]? {
      switch (text, base64) {
      case (let text?, nil): Array(text.utf8)
      case (nil, let base64?): Array(base64)
      default: nil
      }
    }
  }
}
