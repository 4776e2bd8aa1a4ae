import Testing

@testable import KeyplanRemote

@Suite struct BuiltInTests {
  @Test("each built-in description is read without a fault", arguments: BuiltInServices.names)
  func faultless(name: String) throws {
    do {
      let api = try #require(try BuiltInServices.api(name))
      #expect(!api.summary.isEmpty && api.isWritable)
    } catch let faults as DescriptionFaults {
      for fault in faults.all { Issue.record("\(name) \(fault.line):\(fault.column) \(fault.path): \(fault.kind)") }
    }
  }

  @Test("the names are sorted, and others have no description")
  func names() throws {
    #expect(BuiltInServices.names == BuiltInServices.names.sorted() && BuiltInServices.names.count == 16)
    #expect(try BuiltInServices.api("nothing") == nil)
  }
}
