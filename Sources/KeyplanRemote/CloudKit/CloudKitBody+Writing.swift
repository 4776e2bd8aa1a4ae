import KeyplanCloudKit
import KeyplanJSON
import KeyplanSecrets

extension CloudKitBody {
  /// The default zone, the only one of a public database, has no atomic changes.
  static func modify(_ operations: [CloudKitWrite.Operation], _ schema: CloudKitSchema) -> SecretBox {
    var writer = SecretWriter()
    writer.append(#"{"operations":["#)
    for (index, operation) in operations.enumerated() {
      if index > 0 { writer.append(",") }
      write(operation, schema, to: &writer)
    }
    // Without the values, which would make the response as large as the request.
    writer.append(#"],"atomic":false,"desiredKeys":["#)
    JSONText.write(schema.nameField, to: &writer)
    writer.append(#"],"zoneID":{"zoneName":"_defaultZone"}}"#)
    return writer.finished()
  }

  private static func write(
    _ operation: CloudKitWrite.Operation, _ schema: CloudKitSchema, to writer: inout SecretWriter
  ) {
    let kind = operation.value == nil ? "delete" : operation.tag == nil ? "create" : "update"
    writer.append(#"{"operationType":"\#(kind)","record":{"recordName":"#)
    JSONText.write(operation.recordName, to: &writer)
    writer.append(#","recordType":"#)
    JSONText.write(schema.recordType, to: &writer)
    if let tag = operation.tag {
      writer.append(#","recordChangeTag":"#)
      JSONText.write(tag, to: &writer)
    }
    if let value = operation.value {
      writer.append(#","fields":{"#)
      if operation.tag == nil {
        JSONText.write(schema.nameField, to: &writer)
        writer.append(#":{"value":"#)
        JSONText.write(operation.name, to: &writer)
        writer.append("},")
      }
      JSONText.write(schema.valueField, to: &writer)
      writer.append(#":{"value":"#)
      value.withBytes { JSONText.write($0, to: &writer) }
      writer.append("}}")
    }
    writer.append("}}")
  }
}
