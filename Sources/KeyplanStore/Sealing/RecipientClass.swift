import KeyplanAge
import KeyplanApply

/// Recipients that can share an age file, by the labels that age demands to be equal. The keyring has a file for each class.
enum RecipientClass: CaseIterable {
  case classical
  case postQuantum

  init(_ recipient: KeyplanAge.Recipient) { self = recipient.labels.isEmpty ? .classical : .postQuantum }

  /// The slot of this class's file, if there are files of both; a single file has the slot's own name, as it had before there were classes.
  func slot(_ name: String) -> String {
    switch self {
    case .classical: name
    case .postQuantum: "\(name)-pq"
    }
  }

  /// The slots in which a keyring can be, in the order in which they are tried.
  static func slots(_ name: String) -> [String] { allCases.map { $0.slot(name) } }

  /// An age file for each class of recipients, by slot.
  static func files(
    _ name: String, for recipients: [KeyplanAge.Recipient],
    _ wrap: ([KeyplanAge.Recipient]) throws(StoreError) -> [UInt8]
  ) throws(StoreError) -> [String: [UInt8]] {
    let classes = Dictionary(grouping: recipients) { RecipientClass($0) }
    guard classes.count > 1 else { return [name: try wrap(recipients)] }
    var files: [String: [UInt8]] = [:]
    for (kind, members) in classes { files[kind.slot(name)] = try wrap(members) }
    return files
  }
}

extension StoreError {
  /// Why a keyring or a backup was not encrypted.
  static func notEncrypted(_ file: String, _ error: AgeError, hint: String? = nil) -> StoreError {
    if case .libraryMissing = error {
      return StoreError(.io, "\(file) cannot be encrypted: \(error).", hint: installingLibcrypto)
    }
    return StoreError(.wrongIdentity, "\(file) cannot be encrypted: \(error).", hint: hint)
  }

  static let installingLibcrypto = "Install libcrypto (on Debian: apt-get install libssl3)."
}
