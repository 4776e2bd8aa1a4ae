import KeyplanJSON
package import KeyplanSecrets

/// The bodies of requests.
package enum CloudKitBody {
  /// The most records of a request or a response.
  package static let recordsAtOnce = 200

  /// The records with these names.
  /// - Parameter marker: the position at which the previous page of the list ended.
  package static func query(_ names: some Collection<String>, after marker: String?, _ schema: CloudKitSchema)
    -> SecretBox
  {
    var writer = SecretWriter()
    writer.append(#"{"query":{"recordType":"#)
    JSONText.write(schema.recordType, to: &writer)
    writer.append(#","filterBy":[{"fieldName":"#)
    JSONText.write(schema.nameField, to: &writer)
    writer.append(#","comparator":"IN","fieldValue":{"type":"STRING_LIST","value":["#)
    write(names, to: &writer)
    writer.append(#"]}}]},"desiredKeys":"#)
    writeFields(schema, to: &writer)
    writer.append(#","resultsLimit":\#(recordsAtOnce),"zoneID":{"zoneName":"_defaultZone"}"#)
    if let marker {
      writer.append(#","continuationMarker":"#)
      JSONText.write(marker, to: &writer)
    }
    writer.append("}")
    return writer.finished()
  }

  package static func lookup(_ recordNames: some Collection<String>, _ schema: CloudKitSchema) -> SecretBox {
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
