internal import KeyplanApply
package import KeyplanCore
import KeyplanFiles

/// Inspects the files of the work tree that references and targets use.
package struct CheckoutInspector: CheckoutInspecting {
  private let context: SourceContext
  /// The maximum size of a file to hash, in bytes.
  private static let limit = 64 << 20

  package init(_ context: SourceContext) { self.context = context }

  /// `file NAME sha256:HEX` for each file of the work tree that a command names. A file that cannot be read has
  /// `unreadable` as its digest, so that it never equals what was allowed.
  package func terms(of references: [Reference]) -> [Reference: Set<String>] {
    var digests: [String: String] = [:]
    var terms: [Reference: Set<String>] = [:]
    for reference in references where terms[reference] == nil {
      let files = CommandLine(reference, in: context).files
      terms[reference] = Set(
        files.map { file in
          let digest = digests[file.path] ?? digest(of: file.path) ?? "unreadable"
          digests[file.path] = digest
          return "file \(file.name) \(digest)"
        })
    }
    return terms
  }

  package func terms(ofFiles files: [Reference]) -> [Reference: String] {
    Dictionary(
      files.filter { $0.surface == nil }.map { file in
        // Following a link out of the work tree would reveal the digest of any file on this machine.
        let digest = digest(of: absolute(file.location), within: context.workTree)
        return (file, "file \(file.location) \(digest ?? "unreadable")")
      }
    ) { first, _ in first }
  }

  /// Whether a command's program, working directory or an argument is in the work tree.
  package func runsCheckout(_ reference: Reference) -> Bool { CommandLine(reference, in: context).runsWorkTree }

  /// The digests of the files that git tracks. If it is unknown whether git tracks a file, it is included.
  package func trackedContent(of references: [Reference]) -> [Reference: String] {
    // Many references share a few files.
    var paths: [String: String] = [:]
    for reference in references where reference.isFile && paths[reference.location] == nil {
      paths[reference.location] = absolute(reference.location)
    }
    let tracked = paths.isEmpty ? [] : tracked(Set(paths.values))
    guard !tracked.isEmpty else { return [:] }
    var digests: [String: String] = [:]
    for (location, path) in paths where tracked.contains(path) { digests[location] = digest(of: path) ?? "unreadable" }
    var found: [Reference: String] = [:]
    for reference in references where reference.isFile {
      if let digest = digests[reference.location] { found[reference] = digest }
    }
    return found
  }

  package func tracked(_ destinations: [Destination]) -> Set<Destination> {
    let tracked = tracked(Set(destinations.map { absolute($0.location) }))
    return Set(destinations.filter { tracked.contains(absolute($0.location)) })
  }

  /// The destinations whose files belong to the configuration of a CI service, judged by name, links followed.
  package func pipelineFiles(among destinations: [Destination]) -> Set<Destination> {
    Set(destinations.filter { PipelineFile.isOne(absolute($0.location), in: context.workTree) })
  }

  private func tracked(_ paths: Set<String>) -> Set<String> {
    do throws(FileError) {
      guard let tree = try WorkTree(containing: context.folder) else { return [] }
      return Set(try tree.tracking(of: paths).filter { $0.value != .untracked }.keys)
    } catch {
      return paths
    }
  }

  private func absolute(_ location: String) -> String {
    if location.hasPrefix("/") { return location }
    if location.hasPrefix("~/"), let home = context.home { return home + location.dropFirst() }
    return context.folder + "/" + location
  }

  private func digest(of path: String, within root: String? = nil) -> String? {
    guard let bytes = try? SafeFile.read(path, limit: Self.limit, within: root) else { return nil }
    return "sha256:"
      + ContentDigest.sha256(bytes).map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }.joined()
  }
}
