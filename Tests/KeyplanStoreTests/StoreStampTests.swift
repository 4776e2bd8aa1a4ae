import Foundation
import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

@Suite("A store's stamp")
struct StoreStampTests {
  @Test("differs after every commit, or is not settled, and stays when the store is read", arguments: Scratch.kinds)
  func changes(kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let store = try scratch.create()
    var last = try StoreStamp(of: scratch.location)
    for number in 1...20 {
      try store.put(["a": "\(number)"])
      let stamp = try StoreStamp(of: scratch.location)
      #expect(stamp != last || !last.isSettled)
      _ = try scratch.open().text("a")
      #expect(try StoreStamp(of: scratch.location) == stamp)
      last = stamp
    }
  }

  @Test("of a file is settled some seconds after the last change")
  func settled() throws {
    let scratch = try Scratch()
    _ = try scratch.create()
    let early = try StoreStamp(of: scratch.location)
    #expect(!early.isSettled)
    let deadline = Date(timeIntervalSinceNow: 60)
    while try !StoreStamp(of: scratch.location).isSettled, Date() < deadline { usleep(100_000) }
    #expect(try StoreStamp(of: scratch.location).isSettled)
  }

  @Test("is an error where there is no store", arguments: Scratch.kinds)
  func missing(kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    if kind == .server { try Scratch(.server).create().put(["a": "1"]) }
    #expect(code { _ = try StoreStamp(of: scratch.location) } == .noStore)
  }

  @Test("asks a server for one row, in one round trip", needsServer)
  func cheap() throws {
    let scratch = try Scratch(.server)
    _ = try scratch.create()
    let session = try #require(scratch.shared).session
    let before = session.roundTrips
    for _ in 0..<5 { _ = try StoreStamp(of: scratch.location) }
    #expect(session.roundTrips == before + 5)
  }
}
