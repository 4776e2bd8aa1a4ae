public import KeyplanApply

/// The targets that need no service: files of this machine.
public enum LocalTargets {
  /// All of them. A new target is a file of its own and a line here.
  public static func all(_ context: TargetContext) -> [any SecretTarget] {
    [
      DotenvTarget(context),
      JSONTarget(context),
      PlistTarget(context),
      YAMLTarget(context),
    ]
  }
}
