import Synchronization

/// The answers of a plugin for files in this run, by the digests of their stanzas.
final class PluginFileKeys: Sendable {
  struct Answer {
    /// Nil for a file that is not for the identity.
    let key: FileKey?
  }

  private let answers = Mutex<[[UInt8]: Answer]>([:])

  subscript(digest: [UInt8]) -> Answer? {
    get { answers.withLock { $0[digest] } }
    set { answers.withLock { $0[digest] = newValue } }
  }
}
