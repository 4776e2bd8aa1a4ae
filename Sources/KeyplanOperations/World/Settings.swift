internal import KeyplanModel

/// The settings of one run, from options and variables.
package struct Settings: Sendable {
  /// The manifest as it was typed; nil to look for `keyplan.yaml` here and in the parent directories.
  package var manifest: String?
  /// The environment's name; nil if none was chosen.
  package var environment: String?
  /// A path or an address, instead of the store that the manifest names.
  package var store: String?
  /// Whether `store` is on the command line, which every user of the machine can read.
  package var isStoreArgument = false
  /// The identity's file as it was typed; nil for KEYPLAN_IDENTITY or the person's own file.
  package var identity: String?
  /// The maximum wait for a lock; nil for each operation's default.
  package var lockTimeout: Duration?
  /// Whether prompts are allowed.
  package var mayAsk = false
  /// Whether the work tree is untrusted, whatever the environment and the terminal. Nothing makes it trusted again.
  package var isCheckoutUntrusted = false

  package init() {}

  /// Whether values are to be read without a store.
  package var isStoreNone: Bool { store == StoreSigns.none }
  /// Whether the store was chosen by a variable.
  package var isStoreVariable: Bool { store != nil && !isStoreArgument }
  /// The store, if it is on the command line.
  package var storeArgument: String? { isStoreArgument ? store : nil }
}
