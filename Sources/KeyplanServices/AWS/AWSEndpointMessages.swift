/// The reasons and hints for addresses of AWS that cannot be used, as sentences.
package enum AWSEndpointMessages {
  package static func otherPartition(_ region: String) -> String {
    "The region \(region) is in an AWS partition with other hosts."
  }
  package static func setEndpoint(_ service: AWSService) -> String {
    "Set \(service.endpointVariables[0]) to the address of the service."
  }
  package static let invalidEndpoint = "The configured address of the AWS service must be https://host/ without a path."
}
