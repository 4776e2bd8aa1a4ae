import KeyplanCLI

/// The program: everything it does is in the library, where tests can reach it.
@main
enum Main {
  static func main() async {
    await CommandLineTool.runAndExit()
  }
}
