import KeyplanModel
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

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

  @Test(
    "a variable that says where a service is cannot be a name without a permission, and one with a credential can",
    arguments: BuiltInServices.names)
  func variables(name: String) throws {
    let api = try #require(try BuiltInServices.api(name))
    for field in api.connection + api.target {
      for variable in field.environment {
        if field.kind == .url { #expect(VariableName.isUnsafe(variable), "\(variable)") }
        if field.kind.isSecret { #expect(VariableName.use(of: variable) == .free, "\(variable)") }
      }
    }
  }
}
