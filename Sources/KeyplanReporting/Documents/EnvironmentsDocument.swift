/// `schemas/environments.schema.json`: the output of a command in each environment.
package enum EnvironmentsDocument {
  /// One environment.
  package struct Part: Sendable {
    /// The name of an environment, which has no character that JSON escapes.
    package let environment: String
    package let exitCode: Int32
    /// The command's document: one line of JSON.
    package let result: String

    package init(environment: String, exitCode: Int32, result: String) {
      (self.environment, self.exitCode, self.result) = (environment, exitCode, result)
    }
  }

  /// - Parameter left: the environments that were skipped, because one before them ended with an error.
  package static func text(_ parts: [Part], left: [String]) -> String {
    let results = parts.map { part in
      let result = part.result.hasSuffix("\n") ? String(part.result.dropLast()) : part.result
      return #"{"environment":"\#(part.environment)","exitCode":\#(part.exitCode),"result":\#(result)}"#
    }
    let names = left.map { #""\#($0)""# }
    return
      #"{"environments":[\#(results.joined(separator: ","))],"formatVersion":1,"left":[\#(names.joined(separator: ","))]}"#
      + "\n"
  }
}
