import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// The body of a request that changes a secret.
struct ApplyBody: Sendable {
  let place: SecretPlace
  /// The current secret; nil if there is none.
  let object: SecretObject?
  let set: [(name: String, value: SecretBox)]
  let remove: [String]

  /// JSON, which is YAML. Keys that this program owns and does not change are sent as they were read: those that are left out
  /// would be removed.
  var bytes: SecretBox {
    var writer = SecretWriter()
    writer.append(#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"#)
    JSONText.write(place.name, to: &writer)
    writer.append(#","namespace":"#)
    JSONText.write(place.namespace, to: &writer)
    if let object {
      writer.append(#","resourceVersion":"#)
      JSONText.write(object.version, to: &writer)
    }
    // The label marks secrets that this program created. Those of others do not get it.
    if object?.isLabelled ?? true { writer.append(#","labels":{"\#(SecretObject.label)":"\#(SecretObject.manager)"}"#) }
    writer.append(#"},"type":"#)
    JSONText.write(object?.type ?? "Opaque", to: &writer)
    writer.append(#","data":{"#)
    let changed = Set(set.map(\.name) + remove)
    var isFirst = true
    func begin(_ name: String, _ writer: inout SecretWriter) {
      if !isFirst { writer.append(",") }
      isFirst = false
      JSONText.write(name, to: &writer)
      writer.append(":")
    }
    if let object {
      for name in object.ownedNames where !changed.contains(name) {
        begin(name, &writer)
        object.writeEncoded(name, to: &writer)
      }
    }
    for (name, value) in set {
      begin(name, &writer)
      writer.append("\"")
      writer.append(value.withBytes { SecretBase64.text(of: $0) })
      writer.append("\"")
    }
    writer.append("}}")
    return writer.finished()
  }

  /// Deletes the object that was read, and no later one of the same name.
  static func deletion(of object: SecretObject) -> SecretBox {
    var writer = SecretWriter()
    writer.append(#"{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"#)
    JSONText.write(object.uid, to: &writer)
    writer.append(#","resourceVersion":"#)
    JSONText.write(object.version, to: &writer)
    writer.append("}}")
    return writer.finished()
  }

  /// The keys that other managers own; empty if the version of the secret was not the current one.
  static func conflicts(in answer: ClassifiedAnswer) -> [String] {
    guard let json = answer.json else { return [] }
    return json.elements(json.member("details", "causes")).compactMap { cause in
      guard json.member("reason", in: cause).flatMap({ json.text($0) }) == "FieldManagerConflict",
        let field = json.member("field", in: cause).flatMap({ json.text($0) }), field.hasPrefix(".data.")
      else { return nil }
      return String(field.dropFirst(6))
    }
  }
}
