extension Manifest {
  /// The same without anything that is stored or written somewhere: a plan for it withdraws and removes all that is
  /// recorded. The hooks of the targets are kept: they run after the withdrawal, too.
  package var withoutEntries: Manifest {
    Manifest(
      environment: environment, recipients: recipients, providers: providers, hooks: hooks, connections: connections,
      rules: rules)
  }
}
