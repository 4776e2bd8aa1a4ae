internal import KeyplanDocuments
internal import KeyplanManifest
package import KeyplanReporting

extension ManifestFiles {
  /// Brings the files into the form that `keyplan fmt --help` describes; with an environment, its overlay alone.
  package mutating func makeCanonical() throws(Failure) {
    let ways = environment == nil ? ways : [\.edited]
    let reader = reader
    for way in ways {
      try edit(way) { text throws(DocumentError) in
        try text.rewrite { reader.canonicalReference($0.text, at: $0.path) }
        try text.tidy()
        try text.order { reader.canonicalOrder(at: $0) }
      }
    }
  }
}
