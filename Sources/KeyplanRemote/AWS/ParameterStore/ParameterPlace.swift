import KeyplanModel
import KeyplanServices

/// A path of parameters.
struct ParameterPlace: Sendable {
  /// With `/` at both ends.
  let path: String
  private let names: NameRule

  init(_ location: String, of grammar: TargetGrammar?) throws(RemoteFailure) {
    guard let grammar, let values = grammar.values(at: location), let path = values["path"] else {
      throw RemoteFailure(.unreadable, RemoteMessages.noPlace)
    }
    let parts = path.split(separator: "/").map(String.init)
    // Up to 15 levels with the name, each of the characters of names.
    guard (1...14).contains(parts.count), parts.allSatisfy({ grammar.names.fault(in: $0) == nil }) else {
      throw RemoteFailure(.unreadable, RemoteMessages.invalidName)
    }
    self.path = "/" + parts.joined(separator: "/") + "/"
    names = grammar.names
  }

  /// Nil for a name that no parameter can have.
  func parameter(_ name: String) -> String? { names.fault(in: name) == nil ? path + name : nil }

  func read(_ names: some Sequence<String>, _ api: ParameterStoreAPI) async -> [String: ParameterStoreAPI.Finding] {
    let ids = names.compactMap { name in parameter(name).map { (name, ParameterId($0)) } }
    guard !ids.isEmpty else { return [:] }
    let found = await api.values(of: Set(ids.map(\.1)))
    let lost = RemoteFailure(.unreadable, RemoteMessages.notAnswered)
    return Dictionary(ids.map { ($0, found[$1] ?? .failed(lost)) }) { first, _ in first }
  }
}

extension ParameterStoreAPI.Finding {
  /// The number of the version; nil if there is none.
  var mark: Mark? {
    if case .value(let parameter) = self { Mark(String(parameter.version)) } else { nil }
  }
}
