import KeyplanAge
import KeyplanPorts
import KeyplanSecrets

/// Recipients that can share an age file, by the labels that age demands to be equal. The keyring has a file for each class.
enum RecipientClass: CaseIterable {
  case classical
  case postQuantum

  init(labels: Set<String>) { self = labels.isEmpty ? .classical : .postQuantum }

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
    _ name: String, of text: borrowing Secret, for recipients: [AgeRecipient], plugins: any PluginRunning
  ) throws(AgeError) -> [String: [UInt8]] {
    let files = try Age.encryptByLabels(text, to: recipients, plugins: plugins)
    return Dictionary(
      files.map { (files.count > 1 ? RecipientClass(labels: $0.labels).slot(name) : name, $0.bytes) }
    ) { first, _ in first }
  }
}

extension StoreError {
  /// The error for a keyring or a backup that was not encrypted.
  static func notEncrypted(_ file: String, _ error: AgeError, hint: String? = nil) -> StoreError {
    if case .libraryMissing = error {
      return StoreError(.io, "\(file) cannot be encrypted: \(error).", hint: installingLibcrypto)
    }
    if case .plugin(let plugin, let fault) = error {
      return StoreError(
        fault == .interrupted ? .interrupted : .plugin, "\(file) cannot be encrypted: \(error).",
        hint: installing(plugin, fault))
    }
    return StoreError(.wrongIdentity, "\(file) cannot be encrypted: \(error).", hint: hint)
  }

  /// The hint for a plugin's fault; nil if there is none.
  static func installing(_ plugin: PluginName, _ fault: PluginFault) -> String? {
    switch fault {
    case .notFound: "Install \(plugin.program) in a directory of PATH that is outside of the work tree."
    case .notSupported, .notRun, .ended, .timedOut, .interrupted, .reported, .malformed, .labels: nil
    }
  }

  static let installingLibcrypto = "Install libcrypto (on Debian: apt-get install libssl3)."
}
