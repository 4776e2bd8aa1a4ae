package import KeyplanSecrets

/// A credential that was found on the machine, in the way of a service's own tools.
package struct AmbientCredential: Redacted, Sendable {
  package let token: SecretBox
  /// The project that requests are counted for; Google's own.
  package var quotaProject: String?
  /// The credential's owner, if the machine knows it.
  package var owner: String?
  /// The step of the search that found it, such as `GOOGLE_APPLICATION_CREDENTIALS`.
  package var step = ""
}

/// The credential chains of vendors that a built-in description can name.
package enum AmbientChain: String, Hashable, Sendable, CaseIterable {
  /// Application Default Credentials.
  case google
  /// `DefaultAzureCredential`.
  case azure

  /// The variables that it gives a value.
  package var variables: Set<String> {
    switch self {
    case .google: ["session", "quotaProject"]
    case .azure: ["session"]
    }
  }

  /// Looks for a credential. Nothing is sent before all ways without requests were tried.
  package func credential(_ context: ConnectionContext) async throws(RemoteFailure) -> AmbientCredential {
    let found: (step: String, credential: AmbientCredential)
    switch self {
    case .google: found = try await GoogleCredentialSearch(context).chain.credential()
    case .azure: found = try await AzureCredentialSearch(context).chain.credential()
    }
    var credential = found.credential
    credential.step = found.step
    return credential
  }
}
