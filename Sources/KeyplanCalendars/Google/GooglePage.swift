/// An item of one of Google's lists.
protocol GoogleItem: Decodable, Sendable {
  /// The `kind` of a list of these items.
  static var kind: String { get }
}

/// One page of a list. It must have the expected kind: a response without it is not Google's. A page without items is
/// valid, and may be followed by others.
struct GooglePage<Item: GoogleItem>: Decodable {
  let items: [Item?]
  let nextPageToken: String?
  let nextSyncToken: String?

  private enum Key: CodingKey { case kind, items, nextPageToken, nextSyncToken }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    guard fields.text(.kind) == Item.kind else {
      throw DecodingError.dataCorruptedError(forKey: .kind, in: fields, debugDescription: "Unexpected kind of list.")
    }
    items = try (fields.decodeIfPresent([Tolerant<Item>].self, forKey: .items) ?? []).map(\.value)
    nextPageToken = fields.text(.nextPageToken)
    nextSyncToken = fields.text(.nextSyncToken)
  }
}
