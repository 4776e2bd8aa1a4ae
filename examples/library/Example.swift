// Plans and applies a project from another program, then reports drift: keyplan-example MANIFEST IDENTITY
//
// In a package of your own, this is the product "Keyplan".
import KeyplanLibrary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@main
struct Example {
  static func main() async {
    var options = KeyplanProject.Options()
    options.manifest = CommandLine.arguments.dropFirst().first
    options.identity = CommandLine.arguments.dropFirst(2).first
    // This program runs on reviewed manifests only.
    options.isTrusted = true
    do throws(KeyplanError) {
      let project = try await KeyplanProject.open(options)
      let plan = try await project.plan()
      print(plan.text)
      if !plan.isEmpty {
        let outcome = try await project.apply(plan)
        for step in outcome.steps { print("\(step.address): \(step.reason ?? step.result)") }
        guard outcome.isComplete else { exit(3) }
      }
      // Opened again, because apply changed what is recorded.
      let drift = try await KeyplanProject.open(options).drift()
      for finding in drift.findings { print("\(finding.level) \(finding.address): \(finding.headline)") }
      if drift.findings.isEmpty { print("No drift.") }
    } catch {
      print("error: \(error)")
      exit(error.exitCode)
    }
  }
}
