import KeyplanSecrets

/// The bodies of requests.
enum CloudKitBody {
  /// The records with these names.
  /// - Parameter marker: where the previous page of the list ended.
  static func query(_ names: some Collection<String>, after marker: String?, _ schema: CloudKitSchema) -> SecretBox {
    var writer = SecretWriter()
    writer.append(#"{"query":{"recordType":"#)
    JSONText.write(schema.recordType, to: &writer)
    writer.append(#","filterBy":[{"fieldName":"#)
    JSONText.write(schema.nameField, to: &writer)
    writer.append(#","comparator":"IN","fieldValue":{"type":"STRING_LIST","value":["#)
    write(names, to: &writer)
    writer.append(#"]}}]},"desiredKeys":"#)
    writeFields(schema, to: &writer)
    writer.append(#","resultsLimit":\#(CloudKitClient.recordsAtOnce),"zoneID":{"zoneName":"_defaultZone"}"#)
    if let marker {
      writer.append(#","continuationMarker":"#)
      JSONText.write(marker, to: &writer)
    }
    writer.append("}")
    return writer.finished()
  }

  static func lookup(_ recordNames: some Collection<String>, _ schema: CloudKitSchema) -> SecretBox {
    var writer = SecretWriter()
    writer.append(#"{"records":["#)
    for (index, name) in recordNames.enumerated() {
      writer.append(index == 0 ? #"{"recordName":"# : #",{"recordName":"#)
      JSONText.write(name, to: &writer)
      writer.append(#","desiredKeys":"#)
      writeFields(schema, to: &writer)
      writer.append("}")
    }
    writer.append(#"],"zoneID":{"zoneName":"_defaultZone"}}"#)
    return writer.finished()
  }

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

  private static func writeFields(_ schema: CloudKitSchema, to writer: inout SecretWriter) {
    writer.append("[")
    write([schema.nameField, schema.valueField], to: &writer)
    writer.append("]")
  }

  private static func write(_ texts: some Collection<String>, to writer: inout SecretWriter) {
    for (index, text) in texts.enumerated() {
      if index > 0 { writer.append(",") }
      JSONText.write(text, to: &writer)
    }
  }
}
