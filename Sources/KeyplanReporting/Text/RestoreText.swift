package import KeyplanModel

/// The effects of a restore, for people.
package struct RestoreText {
  package let file: String
  package let backup: StoreState
  package let createdAt: Moment
  package let place: String
  /// The store at the place; nil if there is none.
  package let present: StoreState?
  /// The new path of a damaged store at the place; nil if the store is not damaged.
  package let aside: String?
  package let added: [Address]
  package let changed: [Address]
  package let removed: [Address]
  package let revoked: [Address]
  package let recipients: [String]
  /// The recipients who could open the store when the backup was made, and no longer can.
  package let exposed: [String]

  package init(
    file: String, backup: StoreState, createdAt: Moment, place: String, present: StoreState?, aside: String? = nil,
    added: [Address], changed: [Address], removed: [Address], revoked: [Address], recipients: [String],
    exposed: [String]
  ) {
    (self.file, self.backup, self.createdAt, self.place, self.present) = (file, backup, createdAt, place, present)
    (self.added, self.changed, self.removed, self.revoked) = (added, changed, removed, revoked)
    (self.recipients, self.exposed, self.aside) = (recipients, exposed, aside)
  }

  package func text(_ style: Style) -> String {
    var page = Page(style: style)
    Heading.put("restore", environment: nil, store: present, on: &page)
    page.end()
    let there =
      if let present {
        "\(place): serial \(present.serial) is replaced"
      } else if let aside {
        "\(place), which is damaged and is moved to \(aside)"
      } else {
        "\(place), which is created"
      }
    page.rows(
      [
        ("from", "\(file): serial \(backup.serial)"), ("made", style.time(createdAt)), ("to", there),
        ("opens", recipients.joined(separator: ", ")),
      ] + lines)
    page.end()
    if !revoked.isEmpty {
      page.prose("The backup has values that were revoked since: \(Self.list(revoked)). They stay revoked.", indent: 0)
      page.end()
    }
    if !exposed.isEmpty {
      page.prose(
        "\(exposed.joined(separator: ", ")) could open the store when the backup was made: its values are exposed, and "
          + "should be replaced.", indent: 0)
      page.end()
    }
    page.prose(
      "The store gets a new root key, which is recorded in keyplan.lock. What was written to targets since the backup "
        + "is in the next plan, as changed outside. Plans saved earlier become invalid.", indent: 0)
    page.end()
    return page.text
  }

  private var lines: [(String, String)] {
    [("adds", added), ("sets", changed), ("loses", removed)].compactMap { word, addresses in
      addresses.isEmpty ? nil : (word, Self.list(addresses))
    }
  }

  private static func list(_ addresses: [Address]) -> String {
    addresses.map(\.description).joined(separator: ", ")
  }
}
