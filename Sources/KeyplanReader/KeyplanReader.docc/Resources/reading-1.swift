import KeyplanReader

extension APIKeyName {
  static let openWeatherMap = APIKeyName("openweathermap")
}
