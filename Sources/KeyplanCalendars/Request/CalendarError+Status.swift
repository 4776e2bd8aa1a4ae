import KeyplanHTTP

extension CalendarError.Code {
  /// The meaning of a status without a more specific error code.
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
  /// The error for a response without an error code of the service. Only temporary errors and requests for a token are
  /// trusted; everything else may come from a proxy or a captive portal.
  init(withoutCode response: HTTPResponse) {
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
