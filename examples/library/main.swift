// Plans and applies a project from another program, then reports drift.
//
//     keyplan-example MANIFEST STORE-IDENTITY
//
// In a package of your own: .package(url: "…/keyplan", from: "0.1.0"), and the product "Keyplan".
import KeyplanLibrary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

var options = KeyplanProject.Options()
options.manifest = CommandLine.arguments.dropFirst().first
options.identity = CommandLine.arguments.dropFirst(2).first
// This program runs reviewed manifests only.
options.isTrusted = true

do {
  let project = try await KeyplanProject.open(options)
  let plan = try await project.plan()
  print(plan.text)
  if !plan.isEmpty {
    let outcome = try await project.apply(plan)
    for step in outcome.steps { print("\(step.address): \(step.reason ?? step.result)") }
    guard outcome.isComplete else { exit(3) }
  }
  // Opened again: what is recorded has changed.
  let drift = try await KeyplanProject.open(options).drift()
  for finding in drift.findings { print("\(finding.level) \(finding.address): \(finding.headline)") }
  print(drift.findings.isEmpty ? "No drift." : "\(drift.findings.count) findings.")
} catch let error as KeyplanError {
  print("error: \(error)")
  exit(error.exitCode)
}
