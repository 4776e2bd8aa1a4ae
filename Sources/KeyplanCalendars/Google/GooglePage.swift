/// What stands in one of Google's lists.
protocol GoogleItem: Decodable, Sendable {
  /// What Google calls a list of them.
  static var kind: String { get }
}

/// One page of a list. Its kind must be the one that was asked for: an answer without it is not Google's. Without items
/// it is a page all the same, and the next one may have some.
struct GooglePage<Item: GoogleItem>: Decodable {
  let items: [Item?]
  let nextPageToken: String?
  let nextSyncToken: String?

  private enum Key: CodingKey { case kind, items, nextPageToken, nextSyncToken }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    guard fields.text(.kind) == Item.kind else {
      throw DecodingError.dataCorruptedError(forKey: .kind, in: fields, debugDescription: "This is another list.")
    }
    items = try (fields.decodeIfPresent([Tolerant<Item>].self, forKey: .items) ?? []).map(\.value)
    nextPageToken = fields.text(.nextPageToken)
    nextSyncToken = fields.text(.nextSyncToken)
  }
}
