internal import KeyplanModel

/// One line of `watch`; `schemas/watch.schema.json`.
private struct WatchDocument: Encodable {
  let formatVersion = 1
  let item: Address
  let kind: WatchChange.Kind
  let key: Identifier<Key>
  let provider: String
  let version: Int64
  let at: String

  init(_ change: WatchChange) {
    (item, kind, key, provider) = (change.item, change.kind, change.key, change.provider)
    (version, at) = (change.version, change.at.description)
  }
}

extension Document {
  /// One change as a line.
  package static func watch(_ change: WatchChange) throws -> String { try text(WatchDocument(change)) }
}
