internal import KeyplanModel

extension TargetGrammar {
  /// A program that takes values, and one that returns them, if there is one.
  static let command = TargetGrammar(fields: [
    BackendField(
      "command", .command, isRequired: true,
      help:
        "The program that is given values, and its arguments. It reads {\"set\": {NAME: VALUE}, \"remove\": [NAME]} "
        + "from standard input; exit code 0 means that all of it is done."),
    BackendField(
      "read", .command,
      help: "The program that writes the values that are there to standard output, as {NAME: VALUE}; null for a value "
        + "that cannot be shown. After each write it has to show what was written. Without it, what is there cannot be checked: takeOver must allow the first write of each "
        + "name."),
    BackendField(
      "variables", .list, pattern: try? FormatPattern(#"[A-Za-z_]\w{0,255}"#),
      help: "Environment variables for both programs, in addition to PATH, HOME, LANG, TMPDIR and TRACEPARENT."),
  ])
}
