import KeyplanModel
import KeyplanPlanning

extension ManifestParser {
  mutating func migrations(_ tree: LayeredNode?) -> [RawMigration] {
    guard let tree, !tree.isNull else { return [] }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"migrations\"", mustBe: "a list")
      return []
    }
    return items.enumerated().map { index, item in
      notes.subject = .migration(index + 1)
      defer { notes.subject = nil }
      return migration(item, index + 1)
    }
  }

  private mutating func migration(_ tree: LayeredNode, _ number: Int) -> RawMigration {
    guard let fields = fields(tree, .migration) else {
      return RawMigration(number: number, place: tree.place, origin: nil, to: nil)
    }
    let to = required("to", of: fields, in: tree).flatMap { text($0, "to") }
    let original = choice(fields["original"], "original", among: ["keep", "remove"])
    var origin: RawMigration.Origin?
    switch (fields["moved"], fields["adopt"]) {
    case (let moved?, nil): origin = text(moved, "moved").map { .moved($0) }
    case (nil, let adopt?):
      origin = .adopted(source(adopt), original: original)
    case (nil, nil):
      if fields.lacks("moved", "adopt") {
        notes.report(
          .missingField, "\"moved\" or \"adopt\" is missing.", hint: "Add moved: KEY, or adopt: REFERENCE.",
          at: tree.place)
      }
    case (.some, let adopt?):
      notes.report(.conflict, "\"moved\" and \"adopt\" cannot be combined.", at: adopt.place)
    }
    if case .moved = origin, let original = fields.place(of: "original") {
      notes.report(.conflict, "\"original\" can only be combined with \"adopt\".", at: original)
    }
    return RawMigration(number: number, place: tree.place, origin: origin, to: to)
  }
}
