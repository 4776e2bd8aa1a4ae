import KeyplanFiles
package import KeyplanModel
package import KeyplanPorts

/// Inspects the files of the work tree that references, connections and targets use.
package struct CheckoutInspector: CheckoutInspecting {
  private let context: SourceContext
  private let digests: any FileDigesting
  /// The maximum size of a file to hash, in bytes.
  private static let limit = 64 << 20

  /// - Parameter digests: under a key of the store, so that a plan reveals nothing about a file to anyone who cannot open the store.
  package init(_ context: SourceContext, digests: any FileDigesting) {
    self.context = context
    self.digests = digests
  }

  /// `file NAME hmac:HEX` for each file of the work tree that a command names.
  package func terms(of references: [Reference]) -> [Reference: Set<String>] {
    var contents: [String: FileTerm.Content] = [:]
    var terms: [Reference: Set<String>] = [:]
    for reference in references where terms[reference] == nil {
      let files = CommandLine(reference, in: context).files
      terms[reference] = Set(
        files.map { file in
          let content = contents[file.path] ?? content(of: file.path)
          contents[file.path] = content
          return FileTerm(file.name, content).description
        })
    }
    return terms
  }

  package func terms(ofFiles files: [Reference]) -> [Reference: String] {
    Dictionary(
      files.filter { $0.surface == nil }.map { file in
        (file, FileTerm(file.location, content(of: context.absolute(file.location))).description)
      }
    ) { first, _ in first }
  }

  package func terms(ofConfigurationFor backend: String) -> Set<String> {
    ConfigurationFiles(context).terms(of: backend, content)
  }

  /// Whether a command's program, working directory, an argument or a variable is in the work tree.
  package func runsCheckout(_ reference: Reference) -> Bool { CommandLine(reference, in: context).runsWorkTree }

  /// The content of the files that git tracks. If it is unknown whether git tracks a file, it is included.
  package func trackedContent(of references: [Reference]) -> [Reference: String] {
    // Many references share a few files.
    var paths: [Reference: String] = [:]
    for reference in references where paths[reference] == nil { paths[reference] = path(of: reference) }
    let tracked = paths.isEmpty ? [] : context.checkout.tracked(among: Set(paths.values))
    var contents: [String: FileTerm.Content] = [:]
    for path in tracked { contents[path] = content(of: path) }
    return paths.compactMapValues { contents[$0]?.description }
  }

  package func tracked(_ destinations: [Destination]) -> Set<Destination> {
    let tracked = context.checkout.tracked(among: Set(destinations.map { context.absolute($0.location) }))
    return Set(destinations.filter { tracked.contains(context.absolute($0.location)) })
  }

  /// The destinations whose files belong to the configuration of a CI service, judged by name, links followed.
  package func pipelineFiles(among destinations: [Destination]) -> Set<Destination> {
    Set(destinations.filter { PipelineFile.isOne(context.absolute($0.location), in: context.workTree) })
  }

  /// The file that a reference reads; nil if it reads none.
  private func path(of reference: Reference) -> String? {
    if reference.isFile { return context.absolute(reference.location) }
    return reference.scheme == PassSource.backend.name ? PassSource.path(of: reference.location, in: context) : nil
  }

  /// The content of a file. Following a link out of the work tree would reveal the digest of any file on this machine.
  private func content(of path: String) -> FileTerm.Content {
    do throws(FileError) {
      let bytes = try SafeFile.read(path, limit: Self.limit, within: context.workTree)
      return digests.digest(ofFile: bytes).map { .digest("hmac:" + $0.hexadecimal) } ?? .unknown(.unreadable)
    } catch {
      switch error.code {
      case .notFound, .brokenLink: return .missing
      case .isDirectory: return .unknown(.directory)
      case .tooLarge: return .unknown(.size)
      case .outsideTree: return .unknown(.link)
      default: return .unknown(.unreadable)
      }
    }
  }
}

extension SourceContext {
  /// The rules for the checkout that contains the sources.
  package func rules(digests: any FileDigesting) -> CheckoutRules {
    CheckoutRules(isTrusted: isTrusted, inspector: CheckoutInspector(self, digests: digests))
  }
}
