internal import KeyplanManifest
package import KeyplanModel
package import KeyplanPlanning

extension Project {
  /// The diagnostics of reading, the manifest's violations of its own rules, and dates in the future.
  package var diagnostics: [Diagnostic] {
    (reading.diagnostics + (reading.manifest?.brokenRules ?? []) + futureDates).sorted()
  }

  /// The line of a place, with everything masked that must not be shown. The files are split into lines once, at the first request.
  package var sourceLine: (FileLocation) -> String? {
    var lines: RedactedLines?
    return { place in
      let found = lines ?? RedactedLines(texts, of: reading, by: reader)
      lines = found
      return found[place]
    }
  }
}
