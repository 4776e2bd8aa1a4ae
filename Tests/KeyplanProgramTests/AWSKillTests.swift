import Testing

/// The same as `RemoteKillTests` at moto.
@Suite("A write at AWS that a killed apply did not record")
struct AWSKillTests {
  @Test(
    "is found by the next apply, which ends as if nothing had happened",
    .enabled(if: ServiceCase.awsPython != nil, ServiceCase.withoutAWS), arguments: ServiceCase.aws)
  func killed(_ test: ServiceCase) throws { try RemoteKillTests().killed(test) }
}
