/// Which records are meant, and where in them the names and values are.
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
