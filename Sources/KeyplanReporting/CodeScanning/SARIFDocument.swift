internal import KeyplanModel

/// SARIF 2.1.0 with errata 01 (OASIS), as far as keyplan writes it. A finding is a *result*; a failed check is a *notification*, so that it
/// neither opens nor closes an alert.
struct SARIFDocument: Encodable {
  let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
  let version = "2.1.0"
  let runs: [Run]

  private enum CodingKeys: String, CodingKey { case schema = "$schema", version, runs }

  struct Run: Encodable {
    let tool: Tool
    let automationDetails: AutomationDetails
    let columnKind = "unicodeCodePoints"
    let invocations: [Invocation]
    let results: [Result]
  }

  struct Tool: Encodable {
    let driver: Driver

    struct Driver: Encodable {
      let name = "keyplan"
      let semanticVersion: String
      let rules: [Rule]
      let notifications: [Rule]
    }
  }

  /// A kind of result or notification.
  struct Rule: Encodable, Hashable {
    let id: String
    let shortDescription: Text
  }

  /// One category of results for each environment, so that their alerts do not replace each other.
  struct AutomationDetails: Encodable {
    let id: String
  }

  struct Invocation: Encodable {
    let executionSuccessful: Bool
    let toolExecutionNotifications: [Notification]
  }

  struct Notification: Encodable {
    let descriptor: Reference
    let level: Level
    let message: Text
    let locations: [Location]

    struct Reference: Encodable {
      let id: String
    }
  }

  struct Result: Encodable {
    let ruleId: String
    let level: Level
    let message: Text
    let locations: [Location]
    let partialFingerprints: [String: String]
  }

  enum Level: String, Encodable {
    case error, warning, note
  }

  struct Text: Encodable, Hashable {
    let text: String

    /// Words without SARIF's own syntax: links in brackets, placeholders in braces (sections 3.11.5 and 3.11.6).
    init(_ words: String) {
      text = Glyphs.visible(words).unicodeScalars.reduce(into: "") { text, scalar in
        switch scalar {
        case "[", "]", "\\": text += "\\"
        case "{", "}": text.unicodeScalars.append(scalar)
        default: break
        }
        text.unicodeScalars.append(scalar)
      }
    }
  }

  struct Location: Encodable {
    var physicalLocation: Physical?
    var logicalLocations: [Logical]?

    struct Logical: Encodable {
      let fullyQualifiedName: String
    }

    struct Physical: Encodable {
      let artifactLocation: Artifact
      let region: Region
    }

    struct Artifact: Encodable {
      let uri: String
      let uriBaseId: String?
    }

    struct Region: Encodable {
      let startLine: Int
      let startColumn: Int
      let endColumn: Int
    }
  }
}

extension SARIFDocument.Location.Artifact {
  /// - Parameter path: from the root of the sources, or absolute.
  init(path: String) {
    let encoded = path.utf8.reduce(into: "") { text, byte in
      let isPlain =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/-._~".utf8.contains(byte)
        }
      let digits = String(byte, radix: 16, uppercase: true)
      text += isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
    if path.hasPrefix("/") {
      (uri, uriBaseId) = ("file://" + encoded, nil)
    } else {
      (uri, uriBaseId) = (encoded, path.hasPrefix("../") ? nil : "%SRCROOT%")
    }
  }
}
