package import KeyplanModel

/// Finds the files of the work tree that affect a reference's value or a target's contents. The author of a pull request controls these
/// files.
package protocol CheckoutInspecting: Sendable {
  /// For each command, the terms that its files add to its permission: `file ./vault.sh hmac:…`, one for each program, argument or variable
  /// that names a file of the work tree and is not declared as data. `file ./vault.sh missing` if the file does not exist; `file ./vault.sh
  /// unknown:` with a reason if its content cannot be determined, which permits nothing.
  func terms(of references: [Reference]) -> [Reference: Set<String>]

  /// For each file that a connection reads, the term that it adds to that connection's permission: `file ca.pem hmac:…`. Nothing for files
  /// outside the manifest's folder, which need a permission of their own.
  func terms(ofFiles files: [Reference]) -> [Reference: String]

  /// The terms that a backend's connections get from configuration files that git tracks and that variables of the environment name:
  /// `file $KUBECONFIG hmac:…`.
  func terms(ofConfigurationFor backend: String) -> Set<String>

  /// Whether a command runs, or runs in, the work tree: its program, its working directory, one of its arguments or a file of one of
  /// its variables is there.
  func runsCheckout(_ reference: Reference) -> Bool

  /// The digests of those files among the references' that git tracks; `missing` and `unknown:` with a reason as in terms.
  func trackedContent(of references: [Reference]) -> [Reference: String]

  /// The destinations whose files git tracks.
  func tracked(_ destinations: [Destination]) -> Set<Destination>

  /// The destinations whose files belong to the configuration of a CI service.
  func pipelineFiles(among destinations: [Destination]) -> Set<Destination>
}

extension CheckoutInspecting {
  /// None: no file from the environment is known to be in the work tree.
  package func terms(ofConfigurationFor backend: String) -> Set<String> { [] }
}

/// The rules for the observed checkout.
package struct CheckoutRules: Sendable {
  /// Whether its files may be run, and values compared with their content.
  package let isTrusted: Bool
  /// Nil if no file is in a work tree.
  package let inspector: (any CheckoutInspecting)?

  package init(isTrusted: Bool, inspector: (any CheckoutInspecting)?) {
    self.isTrusted = isTrusted
    self.inspector = inspector
  }

  /// Everything is judged.
  package static let trusted = CheckoutRules(isTrusted: true, inspector: nil)
}
