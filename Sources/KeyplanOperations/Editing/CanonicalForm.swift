internal import KeyplanDocuments
internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanModel
package import KeyplanReporting

extension ManifestFiles {
  /// Brings the files into the form that `keyplan fmt --help` describes; with an environment, its overlay alone.
  package mutating func makeCanonical() throws(Failure) {
    let ways = environment == nil ? ways : [\.edited]
    let (reader, types, folder) = (reader, targetTypes, Project.parent(of: base.path))
    for way in ways {
      try edit(way) { text throws(DocumentError) in
        try text.rewrite { leaf in
          let canonical =
            reader.canonicalReference(leaf.text, at: leaf.path)
            ?? reader.canonicalPath(leaf.text, at: leaf.path, targetTypes: types)
          return canonical == nil || Self.leavesLink(leaf.text, in: folder) ? nil : canonical
        }
        text.indent()
        try text.tidy()
        try text.order { reader.canonicalOrder(at: $0) }
      }
    }
  }

  /// The type of each target, in whichever file it is written.
  private var targetTypes: [String: String] {
    var types: [String: String] = [:]
    for file in all {
      for target in file.text.form(of: ["targets"])?.names ?? [] {
        if case .text(let type) = file.text.form(of: ["targets", target, "type"]) { types[target] = type }
      }
    }
    return types
  }

  /// Whether a path follows a symbolic link and then goes up with `..`: without that part it may be another path.
  private static func leavesLink(_ text: String, in folder: String) -> Bool {
    let location = text.firstRange(of: "://").map { text[$0.upperBound...].prefix { $0 != "#" } } ?? text[...]
    var parents: [Substring] = []
    for part in location.split(separator: "/") where part != "." {
      guard part == ".." else {
        parents.append(part)
        continue
      }
      let path = (location.hasPrefix("/") ? "" : folder) + "/" + parents.joined(separator: "/")
      if !parents.isEmpty, FileIdentity.isLink(path) { return true }
      _ = parents.popLast()
    }
    return false
  }
}
