/// The stores that `init` on this machine has created but not yet pinned in `keyplan.lock`. An `init` that is repeated after an interruption
/// pins only such a store: an attacker who replaced the store does not know the root key recorded here.
///
/// Kept in the state directory, one line for each store. If it is lost, the store requires `keyplan trust`.
package struct BegunStores {
  private struct Line: Hashable {
    package let pin: Pin
    package let place: String

    package var text: String { "\(pin.store) \(pin.roots.joined(separator: ",")) \(place)\n" }

    package init(_ pin: Pin, at place: ResolvedStore) {
      self.pin = pin
      self.place = place.lasting
    }

    /// Nil for anything else.
    package init?(_ text: Substring) {
      let words = text.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { return nil }
      pin = Pin(store: words[0], roots: words[1].split(separator: ",").map(String.init))
      place = words[2]
    }
  }

  private let path: String
  private static let what = "Begun stores"

  package init(in world: World) { path = world.state + "/begun-stores" }

  /// Whether this store was begun at this place.
  package func has(_ pin: Pin, at place: ResolvedStore) -> Bool {
    (try? lines(of: StateFile.read(path, Self.what)))?.contains(Line(pin, at: place)) ?? false
  }

  /// Records a store that is about to be created, replacing any other record for this place.
  package func note(_ pin: Pin, at place: ResolvedStore) { replace(place, by: [Line(pin, at: place)]) }

  /// Removes the record for a place.
  package func forget(_ place: ResolvedStore) { replace(place, by: []) }

  /// Errors are ignored: the only consequence is a `keyplan trust` later.
  private func replace(_ place: ResolvedStore, by new: [Line]) {
    try? StateFile.update(path, Self.what) { old in
      let present = lines(of: old)
      let changed = present.filter { $0.place != place.lasting } + new
      return changed == present ? nil : Array(changed.map(\.text).joined().utf8)
    }
  }

  private func lines(of bytes: [UInt8]?) -> [Line] {
    String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").compactMap { Line($0) }
  }
}
