import KeyplanJSON
import KeyplanModel
import KeyplanSecrets

/// A secret as the API server shows it. Its values stay in the answer, in Base64.
struct SecretObject: Sendable {
  private let json: JSONAnswer
  private let data: [JSONMember]
  let uid: String
  let version: String
  let type: String
  let isImmutable: Bool
  private let managers: [Manager]

  /// A field manager and its fields (`metadata.managedFields`).
  private struct Manager: Sendable {
    let name: String
    let isApplying: Bool
    let keys: Set<String>
    let labels: Set<String>
  }

  static let manager = "keyplan"
  static let label = "app.kubernetes.io/managed-by"

  /// Nil for an answer that is not a secret.
  init?(_ json: JSONAnswer) {
    func text(_ path: String...) -> String? {
      var node: JSONNode? = json.root
      for name in path { node = node.flatMap { json.member(name, in: $0) } }
      return node.flatMap { json.text($0) }
    }
    guard text("kind") == "Secret", let uid = text("metadata", "uid"),
      let version = text("metadata", "resourceVersion")
    else { return nil }
    self.json = json
    self.uid = uid
    self.version = version
    type = text("type") ?? "Opaque"
    data = json.members(json.member("data"))
    if case .bool(true)? = json.member("immutable")?.content { isImmutable = true } else { isImmutable = false }
    managers = json.elements(json.member("metadata", "managedFields")).map { Self.manager($0, in: json) }
  }

  private static func manager(_ node: JSONNode, in json: JSONAnswer) -> Manager {
    func text(_ name: String) -> String? { json.member(name, in: node).flatMap { json.text($0) } }
    func fields(_ path: JSONNode?) -> Set<String> {
      Set(json.members(path).map(\.name).filter { $0.hasPrefix("f:") }.map { String($0.dropFirst(2)) })
    }
    return Manager(
      name: text("manager") ?? "", isApplying: text("operation") == "Apply" && text("subresource") == nil,
      keys: fields(json.member("fieldsV1", "f:data", in: node)),
      labels: fields(json.member("fieldsV1", "f:metadata", "f:labels", in: node)))
  }

  var names: [String] { data.map(\.name) }

  func contains(_ name: String) -> Bool { encoded(name) != nil }

  /// The value in Base64, as in the answer.
  private func encoded(_ name: String) -> JSONNode? { data.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  /// The value; nil if there is none, or if it is not Base64.
  func value(_ name: String) -> SecretBox? {
    encoded(name).flatMap { json.secret($0) }.flatMap { text in text.withBytes { SecretBase64.bytes(in: $0) } }
  }

  /// Writes the value as in the answer, with its quotes.
  func writeEncoded(_ name: String, to writer: inout SecretWriter) {
    if let node = encoded(name) { json.write(node, to: &writer) }
  }

  private var own: Manager? { managers.first { $0.name == Self.manager && $0.isApplying } }

  /// The keys that this program owns, in the order of the answer.
  var ownedNames: [String] {
    let owned = own?.keys ?? []
    return names.filter { owned.contains($0) }
  }

  /// Whether this program created it: it then has the label, which only creating sets, and no other manager owns anything.
  var isOnlyOurs: Bool { isLabelled && managers.allSatisfy { $0.name == Self.manager } }

  /// Whether the label is this program's.
  var isLabelled: Bool { own?.labels.contains(Self.label) ?? false }

  /// The other managers that own a key, as far as their names can be shown.
  func owners(of name: String) -> [String] {
    let names = managers.filter { $0.keys.contains(name) && !($0.name == Self.manager && $0.isApplying) }.map(\.name)
    return Set(names).filter { name in
      !name.isEmpty && name.utf8.count <= 64
        && name.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-_.".utf8.contains($0)
        }
    }.sorted()
  }
}
