extension Manifest {
  /// The same without stored or written values: a plan for it withdraws and removes everything that is recorded. The hooks of the targets
  /// are kept: they also run after the withdrawal.
  package var withoutEntries: Manifest {
    Manifest(
      environment: environment, recipients: recipients, providers: providers, hooks: hooks, connections: connections,
      rules: rules)
  }
}
