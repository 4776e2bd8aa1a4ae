extension Manifest {
  /// The same without anything that is stored or written somewhere: a plan for it withdraws and removes all that is recorded.
  package var withoutEntries: Manifest {
    Manifest(
      environment: environment, recipients: recipients, providers: providers, connections: connections, rules: rules)
  }
}
