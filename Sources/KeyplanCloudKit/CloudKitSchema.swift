/// The records to use, and their fields for names and values.
package struct CloudKitSchema: Sendable {
  package let container: String
  package let environment: String
  package let recordType: String
  package let nameField: String
  package let valueField: String

  package init(container: String, environment: String, recordType: String, nameField: String, valueField: String) {
    (self.container, self.environment) = (container, environment)
    (self.recordType, self.nameField, self.valueField) = (recordType, nameField, valueField)
  }
}
