internal import KeyplanFiles

extension World {
  /// Whether the process is in a container, where no other users are expected. Docker and Podman leave a file there, Kubernetes and
  /// systemd set a variable.
  package var isInContainer: Bool {
    variable("KUBERNETES_SERVICE_HOST") != nil || variable("container") != nil
      || ["/.dockerenv", "/run/.containerenv"].contains { FileIdentity($0) != nil }
  }
}
