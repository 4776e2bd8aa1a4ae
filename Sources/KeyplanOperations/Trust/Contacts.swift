internal import Synchronization

/// The places of unknown stores that a person agreed to contact during this run, so that the question is not repeated.
package final class Contacts: Sendable {
  private let places = Mutex<Set<String>>([])

  package init() {}

  func contains(_ place: String) -> Bool { places.withLock { $0.contains(place) } }

  func insert(_ place: String) { places.withLock { _ = $0.insert(place) } }
}
