import KeyplanTesting
import Testing

@testable import KeyplanStore

@Suite("The contract of every store")
struct ContractTests {
  @Test("a sealed store keeps its promises", arguments: RecordStoreContract.promises, Scratch.kinds)
  func sealed(_ promise: RecordStoreContract.Promise, _ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    try promise.check(.init(try scratch.create(), reopened: { try scratch.open(.writing) }))
  }

  @Test("its in-memory twin keeps the same", arguments: RecordStoreContract.promises)
  func memory(_ promise: RecordStoreContract.Promise) throws {
    let store = MemoryStore()
    try promise.check(.init(store, reopened: { store }))
  }
}
