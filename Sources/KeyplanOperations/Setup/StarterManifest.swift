/// The manifest that `init` writes: valid and self-explanatory.
package enum StarterManifest {
  package static func text(recipient: String, name: String) -> String {
    """
    \(EditorSchema.modeline)
    # The keys of this project. This file names secrets but contains none, so it belongs in git.
    version: 1

    recipients:            # who can open the store
      \(name): \(recipient)

    keys: {}
    \(ManifestTemplate.key)
    #    provider: openai
    #    source: env://OPENAI_API_KEY       # or dotenv://.env#NAME, file://path, json://path#/pointer, a command …
    #    expires: { after: 90d, warn: 14d }

    \(ManifestTemplate.active)
    #   assistant: openai-main

    # targets:             # where values are synced to, and watched for drift
    #   app:
    #     type: dotenv
    #     path: .env.local
    #     keys:
    #       "*": active.assistant

    """
  }
}
