import KeyplanCLI

/// The program: everything it does is in the library, where tests can reach it.
@main
enum Main {
  @MainActor
  static func main() async {
    CommandLineTool.prepare()
    await CommandLineTool.runAndExit()
  }
}
