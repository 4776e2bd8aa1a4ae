import KeyplanHTTP

extension CalendarError.Code {
  /// What a status means where the service's words say no more.
  init(status: Int) {
    self =
      switch status {
      case 401: .tokenRefused
      case 403: .forbidden
      case 404: .notFound
      case 410: .resyncNeeded
      case 408, 429, 500...: .busy
      case 200: .notAnAnswer
      default: .refused
      }
  }
}

extension CalendarError {
  /// An answer without the service's own words: only a busy service, and one that asks for a token, are believed
  /// without. Everything else may come from a proxy or a hotel's network.
  init(unspoken response: HTTPResponse) {
    let challenge = response.header("WWW-Authenticate")?.lowercased() ?? ""
    let code: Code =
      switch response.status {
      case 401 where challenge.hasPrefix("bearer"): .tokenRefused
      case 408, 429, 500...: .busy
      default: .notAnAnswer
      }
    self.init(code, status: response.status, pause: response.pauseInHeader)
  }
}
