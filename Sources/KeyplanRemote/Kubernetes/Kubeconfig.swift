import KeyplanServices
import KeyplanYAML

/// The kubeconfig files of a user, merged: clusters, users, and the contexts that combine them.
///
/// The YAML reader makes text of tokens and passwords, so copies stay behind in memory.
struct Kubeconfig: Sendable {
  /// An entry with the folder of its file, in which its relative paths are resolved.
  struct Item: Sendable {
    let node: Node
    let folder: String

    func text(_ name: String) -> String? { node.member(name)?.text }

    /// The absolute path of a file; nil if it is not set.
    func path(_ name: String) -> String? { text(name).map { absolute($0) } }

    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
  }

  private(set) var contexts: [String: Item] = [:]
  private(set) var clusters: [String: Item] = [:]
  private(set) var users: [String: Item] = [:]

  /// Adds the entries of a file. Those of an earlier file take precedence.
  /// - Returns: false if it is not a kubeconfig.
  mutating func add(_ bytes: [UInt8], folder: String) -> Bool {
    guard let root = try? Node.parse(bytes, limits: Limits(depth: 32, size: 1 << 20, nodes: 100_000)) else {
      return bytes.allSatisfy { $0 <= 0x20 }
    }
    guard case .mapping = root.content else { return false }
    func items(_ list: String, _ field: String) -> [(String, Item)] {
      (root.member(list)?.items ?? []).compactMap { entry in
        guard let name = entry.member("name")?.text, let node = entry.member(field) else { return nil }
        return (name, Item(node: node, folder: folder))
      }
    }
    contexts.merge(items("contexts", "context")) { first, _ in first }
    clusters.merge(items("clusters", "cluster")) { first, _ in first }
    users.merge(items("users", "user")) { first, _ in first }
    return true
  }
}

extension Node {
  /// The value under a key of a mapping; nil if there is none.
  func member(_ name: String) -> Node? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key.text == name }?.value
  }

  /// The elements of a list; empty for anything else.
  var items: [Node] {
    guard case .sequence(let items) = content else { return [] }
    return items
  }

  /// A scalar's text; nil if it is empty, null or not a scalar.
  var text: String? {
    guard case .scalar(let scalar) = content, !scalar.text.isEmpty else { return nil }
    if case .null = scalar.resolved { return nil }
    return scalar.text
  }

  var isTrue: Bool {
    guard case .scalar(let scalar) = content, case .bool(true) = scalar.resolved else { return false }
    return true
  }
}
