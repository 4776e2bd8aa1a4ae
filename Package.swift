// swift-tools-version: 6.1
import PackageDescription

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// What reads bytes from outside.
let fuzzed: [Target.Dependency] = [
  "KeyplanAge", "KeyplanApply", "KeyplanCalendars", "KeyplanDocuments", "KeyplanHTTP", "KeyplanJSON", "KeyplanLocal",
  "KeyplanManifest", "KeyplanModel", "KeyplanOAuth", "KeyplanPlanning", "KeyplanPorts", "KeyplanProviders",
  "KeyplanRemote", "KeyplanSecrets", "KeyplanServices", "KeyplanStore", crypto,
]

let package = Package(
  name: "keyplan",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "keyplan", targets: ["keyplan"]),
    .library(name: "Keyplan", targets: ["KeyplanLibrary"]),
    .library(name: "KeyplanReader", targets: ["KeyplanReader"]),
    .library(name: "KeyplanReaderHTTP", targets: ["KeyplanReaderHTTP"]),
    .library(name: "KeyplanReaderStore", targets: ["KeyplanReaderStore"]),
  ],
  // Ranges, so that programs with the library can have others. Ours is built from scripts/swift-packages.txt.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    // Leaves: one for each outside dependency.
    .systemLibrary(
      name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CProcess"),
    .target(name: "CCurl"),
    .target(name: "CExpat"),
    .target(name: "CFiles"),
    .target(name: "CGlibcFloor"),
    .target(name: "COpenSSL"),
    .target(name: "CPostgres"),
    .target(name: "CSchemas"),
    .target(name: "CServices"),
    .target(name: "CSpawn"),
    .target(name: "CSystemd"),
    .target(name: "KeyplanCodecs"),
    .target(name: "KeyplanSecrets", dependencies: ["KeyplanCodecs"]),
    .target(name: "KeyplanThreads"),
    .target(name: "KeyplanModel"),
    .target(name: "KeyplanPlanning", dependencies: ["KeyplanModel"]),
    .target(name: "KeyplanFiles", dependencies: ["CFiles"]),
    .target(name: "KeyplanClocks", dependencies: ["KeyplanFiles"]),
    .target(name: "KeyplanJSON", dependencies: ["KeyplanSecrets"]),
    .target(name: "KeyplanKnownValues", dependencies: ["KeyplanJSON", "KeyplanSecrets"]),
    .target(name: "KeyplanYAML", dependencies: ["CLibYAML"]),
    .target(name: "KeyplanDocuments", dependencies: ["KeyplanJSON", "KeyplanSecrets", "KeyplanYAML"]),
    .target(name: "KeyplanAge", dependencies: ["KeyplanCodecs", "KeyplanSecrets", "COpenSSL", crypto, cryptoExtras]),
    .target(name: "KeyplanHTTP", dependencies: ["KeyplanSecrets", "KeyplanThreads", "CCurl"]),
    .target(
      name: "KeyplanOAuth",
      dependencies: [
        "KeyplanCodecs", "KeyplanDocuments", "KeyplanHTTP", "KeyplanModel", "KeyplanSecrets", crypto, cryptoExtras,
      ]),
    .target(
      name: "KeyplanCloudKit",
      dependencies: ["KeyplanCodecs", "KeyplanHTTP", "KeyplanJSON", "KeyplanModel", "KeyplanSecrets", crypto]),
    // The middle: ports and the interpreter of plans.
    .target(name: "KeyplanPorts", dependencies: ["KeyplanModel", "KeyplanSecrets"]),
    .target(
      name: "KeyplanApply", dependencies: ["KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanSecrets"]),

    // Edges: none imports another.
    .target(name: "KeyplanProviders", dependencies: ["KeyplanModel", "CServices"]),
    .target(
      name: "KeyplanManifest", dependencies: ["KeyplanCodecs", "KeyplanModel", "KeyplanPlanning", "KeyplanYAML"]),
    .target(
      name: "KeyplanStore",
      dependencies: [
        "KeyplanAge", "KeyplanFiles", "KeyplanModel", "KeyplanPorts", "KeyplanSecrets", "KeyplanThreads", "CPostgres",
        "CSQLite", crypto,
      ]),
    .target(
      name: "KeyplanLocal",
      dependencies: [
        "KeyplanAge", "KeyplanDocuments", "KeyplanFiles", "KeyplanModel", "KeyplanPorts", "KeyplanSecrets",
        "KeyplanThreads", "CSpawn", "CSystemd", crypto,
      ]),
    .target(
      name: "KeyplanCalendars",
      dependencies: [
        "KeyplanFiles", "KeyplanHTTP", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts", "KeyplanSecrets", "CExpat",
      ]),
    // Services as data, below those with code of their own.
    .target(
      name: "KeyplanServices",
      dependencies: [
        "KeyplanHTTP", "KeyplanJSON", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts", "KeyplanSecrets", "KeyplanYAML",
        "CServices", crypto,
      ], exclude: ["Providers", "Services"]),
    .target(
      name: "KeyplanRemote",
      dependencies: [
        "KeyplanCloudKit", "KeyplanHTTP", "KeyplanJSON", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts",
        "KeyplanSecrets", "KeyplanServices", "KeyplanYAML", crypto,
      ]),

    // What people and programs read: pure.
    .target(
      name: "KeyplanReporting",
      dependencies: ["KeyplanApply", "KeyplanCodecs", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts"]),

    // What the commands do, without a parser or a terminal.
    .target(
      name: "KeyplanOperations",
      dependencies: [
        "KeyplanAge", "KeyplanApply", "KeyplanCalendars", "KeyplanClocks", "KeyplanDocuments", "KeyplanFiles",
        "KeyplanHTTP", "KeyplanJSON", "KeyplanKnownValues", "KeyplanLocal", "KeyplanManifest", "KeyplanModel",
        "KeyplanOAuth", "KeyplanPlanning", "KeyplanPorts", "KeyplanProviders", "KeyplanRemote", "KeyplanReporting",
        "KeyplanSecrets", "KeyplanServices", "KeyplanStore", "CSchemas",
      ]),

    // Keys in a running program.
    .target(name: "KeyplanReader", dependencies: ["KeyplanClocks", "KeyplanFiles", "KeyplanSecrets", crypto]),
    .target(
      name: "KeyplanReaderHTTP",
      dependencies: ["KeyplanCloudKit", "KeyplanHTTP", "KeyplanJSON", "KeyplanReader", "KeyplanSecrets"]),

    // The same for other programs, and one of them.
    .target(
      name: "KeyplanLibrary",
      dependencies: [
        "KeyplanApply", "KeyplanModel", "KeyplanOperations", "KeyplanPlanning", "KeyplanPorts", "KeyplanReporting",
      ]),
    .executableTarget(name: "keyplan-example", dependencies: ["KeyplanLibrary"], path: "examples/library"),
    .target(
      name: "KeyplanReaderStore",
      dependencies: [
        "KeyplanManifest", "KeyplanModel", "KeyplanOperations", "KeyplanPorts", "KeyplanReader", "KeyplanReporting",
        "KeyplanSecrets", "KeyplanStore",
      ]),
    .executableTarget(
      name: "keyplan-reader-example", dependencies: ["KeyplanReader", "KeyplanReaderStore"], path: "examples/tool"),
    .executableTarget(
      name: "keyplan-server-example", dependencies: ["KeyplanReader", "KeyplanReaderStore"], path: "examples/server"),

    // The program.
    .target(
      name: "KeyplanCLI",
      dependencies: [
        "KeyplanAge", "KeyplanApply", "KeyplanCalendars", "KeyplanDocuments", "KeyplanFiles", "KeyplanLocal",
        "KeyplanManifest", "KeyplanModel", "KeyplanOperations", "KeyplanPlanning", "KeyplanPorts", "KeyplanProviders",
        "KeyplanReporting", "KeyplanSecrets", "KeyplanStore", "CProcess", arguments,
      ]),
    .executableTarget(name: "keyplan", dependencies: ["KeyplanCLI", "CGlibcFloor"]),

    // For our tests: in-memory twins and the contracts of the seams.
    .target(
      name: "KeyplanTesting",
      dependencies: ["KeyplanApply", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanSecrets"]),

    // For Benchmarks/run.sh.
    .executableTarget(name: "keyplan-reads", dependencies: ["KeyplanReader"], path: "Benchmarks/Reads"),
    .executableTarget(name: "keyplan-requests", dependencies: ["KeyplanHTTP"], path: "Benchmarks/Requests"),

    // For our own tests: a server of PostgreSQL in a scratch directory.
    .target(name: "PostgresForTests", path: "Tests/PostgresForTests"),
    // And what several of them need: folders, processes, numbers.
    .target(name: "TestTools", dependencies: ["KeyplanModel"], path: "Tests/TestTools"),

    .testTarget(name: "KeyplanModelTests", dependencies: ["KeyplanModel", "TestTools"]),
    .testTarget(name: "KeyplanPlanningTests", dependencies: ["KeyplanModel", "KeyplanPlanning", "TestTools"]),
    .testTarget(name: "KeyplanCodecsTests", dependencies: ["KeyplanCodecs", "KeyplanSecrets"]),
    .testTarget(name: "KeyplanThreadsTests", dependencies: ["KeyplanThreads"]),
    .testTarget(name: "KeyplanFilesTests", dependencies: ["KeyplanFiles", "TestTools"]),
    .testTarget(name: "KeyplanYAMLTests", dependencies: ["KeyplanYAML", "TestTools"], exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanKnownValuesTests", dependencies: ["KeyplanKnownValues", "KeyplanSecrets", "TestTools"]),
    .testTarget(name: "KeyplanDocumentsTests", dependencies: ["KeyplanDocuments", "TestTools"]),
    .testTarget(
      name: "KeyplanAgeTests",
      dependencies: ["KeyplanAge", "KeyplanCodecs", "KeyplanSecrets", crypto, cryptoExtras, "TestTools"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanHTTPTests", dependencies: ["KeyplanHTTP", "KeyplanSecrets", "TestTools"], exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanOAuthTests",
      dependencies: ["KeyplanHTTP", "KeyplanModel", "KeyplanOAuth", "KeyplanSecrets", crypto, cryptoExtras],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanApplyTests",
      dependencies: [
        "KeyplanApply", "KeyplanManifest", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanSecrets",
        "KeyplanTesting", "TestTools",
      ]),
    .testTarget(name: "KeyplanProvidersTests", dependencies: ["KeyplanModel", "KeyplanProviders"]),
    .testTarget(
      name: "KeyplanManifestTests",
      dependencies: [
        "KeyplanLocal", "KeyplanManifest", "KeyplanModel", "KeyplanPlanning", "KeyplanProviders", "KeyplanRemote",
        "KeyplanServices", "KeyplanYAML",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanStoreTests",
      dependencies: [
        "KeyplanAge", "KeyplanApply", "KeyplanFiles", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts",
        "KeyplanSecrets", "KeyplanStore", "KeyplanTesting", "CSQLite", "PostgresForTests", crypto,
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanLocalTests",
      dependencies: [
        "KeyplanAge", "KeyplanDocuments", "KeyplanLocal", "KeyplanModel", "KeyplanPorts",
        "KeyplanSecrets", "KeyplanTesting", "TestTools",
      ]),
    .testTarget(
      name: "KeyplanCalendarsTests",
      dependencies: [
        "KeyplanCalendars", "KeyplanHTTP", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts", "KeyplanSecrets",
        "TestTools",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyplanRemoteTests",
      dependencies: [
        "KeyplanApply", "KeyplanCloudKit", "KeyplanHTTP", "KeyplanJSON", "KeyplanLocal", "KeyplanManifest",
        "KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanProviders", "KeyplanRemote", "KeyplanReporting",
        "KeyplanSecrets", "KeyplanServices", "KeyplanTesting", "KeyplanYAML", "CServices", "PostgresForTests", crypto,
        "TestTools",
      ], exclude: ["Fixtures"]),
    // A program with a reader, for tests with several processes.
    .executableTarget(
      name: "keyplan-reader-probe", dependencies: ["KeyplanReader", "KeyplanReaderHTTP"], path: "Tests/ReaderProbe"),
    // One of everything that is reported.
    .target(
      name: "ReportSamples",
      dependencies: ["KeyplanApply", "KeyplanModel", "KeyplanPlanning", "KeyplanReporting", "TestTools"],
      path: "Tests/ReportSamples"),
    .testTarget(
      name: "KeyplanReportingTests",
      dependencies: [
        "KeyplanApply", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanReporting", "ReportSamples",
      ]),
    .testTarget(
      name: "KeyplanOperationsTests",
      dependencies: [
        "KeyplanDocuments", "KeyplanHTTP", "KeyplanLocal", "KeyplanManifest", "KeyplanModel", "KeyplanOperations",
        "KeyplanPlanning", "KeyplanProviders", "KeyplanReporting", "KeyplanSecrets", "ReportSamples", "TestTools",
      ], exclude: ["Importing/Fixtures"]),
    .testTarget(
      name: "KeyplanReaderTests",
      dependencies: ["KeyplanClocks", "KeyplanFiles", "KeyplanReader", "KeyplanSecrets", "TestTools"]),
    .testTarget(
      name: "KeyplanReaderStoreTests",
      dependencies: ["KeyplanHTTP", "KeyplanReader", "KeyplanReaderStore", "KeyplanSecrets", "TestTools"]),
    .testTarget(
      name: "KeyplanReaderHTTPTests",
      dependencies: [
        "KeyplanHTTP", "KeyplanReader", "KeyplanReaderHTTP", "KeyplanSecrets", "keyplan-reader-probe", "TestTools",
      ], exclude: ["Fixtures"]),
    .testTarget(name: "KeyplanCLITests", dependencies: ["KeyplanCLI", "TestTools", arguments]),
    .testTarget(
      name: "KeyplanProgramTests", dependencies: ["PostgresForTests", "TestTools"],
      exclude: ["Fixtures", "Transcripts"]),
    .testTarget(
      name: "KeyplanFuzzTests", dependencies: fuzzed + ["TestTools"], exclude: ["Corpus", "LibFuzzer"]),
  ],
  swiftLanguageModes: [.v6]
)

// The names of keys in other packages. SwiftPM builds the program of a plugin separately, and in the package itself even if nothing
// uses it, so it is left out where this package is not a dependency. For a dependency by path, set KEYPLAN_PLUGIN.
if Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
  || Context.environment["KEYPLAN_PLUGIN"] != nil
{
  package.targets.append(.plugin(name: "GenerateKeyNames", capability: .buildTool(), dependencies: ["keyplan"]))
  package.products.append(.plugin(name: "GenerateKeyNames", targets: ["GenerateKeyNames"]))
}

// For scripts/fuzz.sh alone: the same entries, driven by libFuzzer.
if Context.environment["KEYPLAN_FUZZ"] == "1" {
  package.targets.removeAll { $0.type == .test }
  package.targets.append(
    .executableTarget(
      name: "keyplan-fuzz", dependencies: fuzzed, path: "Tests/KeyplanFuzzTests",
      exclude: ["Corpus", "Replaying"]))
}

for target in package.targets where ![.system, .plugin].contains(target.type) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
