internal import KeyplanFiles

/// The stores that `init` on this machine has begun and not yet pinned in `keyplan.lock`. An `init` that is repeated after it was
/// interrupted pins such a store, and no other: whoever else put a store in its place does not know the root that stands here.
///
/// It is kept in the state directory, one line for each store, and may be lost: then the store needs `keyplan trust`.
struct BegunStores {
  private struct Line: Hashable {
    let pin: Pin
    let place: String

    var text: String { "\(pin.store) \(pin.roots.joined(separator: ",")) \(place)\n" }

    init(_ pin: Pin, at place: StorePlace) {
      self.pin = pin
      self.place = place.lasting
    }

    /// Nil for anything else.
    init?(_ text: Substring) {
      let words = text.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { return nil }
      pin = Pin(store: words[0], roots: words[1].split(separator: ",").map(String.init))
      place = words[2]
    }
  }

  private let path: String

  init(in world: World) { path = world.state + "/begun-stores" }

  /// Whether this store was begun at this place.
  func has(_ pin: Pin, at place: StorePlace) -> Bool {
    (try? lines(of: bytes()))?.contains(Line(pin, at: place)) ?? false
  }

  /// Notes a store that is about to be made, instead of any other at this place.
  func note(_ pin: Pin, at place: StorePlace) { replace(place, by: [Line(pin, at: place)]) }

  /// Takes away what is noted about a place.
  func forget(_ place: StorePlace) { replace(place, by: []) }

  private func replace(_ place: StorePlace, by new: [Line]) {
    // Another `init` may change the file between the look and the exchange.
    for _ in 0..<10 {
      do throws(FileError) {
        let old = try bytes()
        let present = lines(of: old)
        let changed = present.filter { $0.place != place.lasting } + new
        guard changed != present else { return }
        if changed.isEmpty {
          try AtomicFile.remove(path, expecting: old)
        } else {
          try PrivateDirectory.ensure(Project.parent(of: path))
          try AtomicFile.replace(path, with: Array(changed.map(\.text).joined().utf8), expecting: old)
        }
        return
      } catch {
        guard error.code == .changed || error.code == .busy else { return }
      }
    }
  }

  /// Nil where there is no file.
  private func bytes() throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try SafeFile.readPrivate(path, limit: 1 << 20)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private func lines(of bytes: [UInt8]?) -> [Line] {
    String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").compactMap { Line($0) }
  }
}
