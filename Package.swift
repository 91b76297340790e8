// swift-tools-version: 6.2
import PackageDescription

// FIRMWARE unset           ordinary Swift: the laptop's tool, the model packer, the tests.
// FIRMWARE=x86_64|arm64    Embedded Swift without a heap: livelatchd alone, for that processor.
// SANITIZE=thread|address  the tests that this sanitizer is for: the frame ring's, the parsers'.
// TESTS=Kernels,Imaging    these tests and what they need, and nothing else: a quick turn at work.
// Modules of these builds are not interchangeable: use another --scratch-path for each value.
let firmware = Context.environment["FIRMWARE"] ?? ""
let isFirmware = !firmware.isEmpty

// A section for each function, so that the linker leaves out what is not called: what cannot run
// need not be looked at by the heap gate, nor lie in a board's memory.
let embedded: [SwiftSetting] = [
  .enableExperimentalFeature("Embedded"),
  .unsafeFlags(["-wmo", "-no-allocations", "-Xfrontend", "-function-sections"]),
]
// One ordinary build serves `make run` and `make test`: tests need @testable, and run optimised.
let ordinary: [SwiftSetting] = [.unsafeFlags(["-enable-testing"])]
/// Code for processor features that not every board has lives in modules of its own, compiled with
/// that feature. `armv8-a+dotprod` and not `-mcpu=cortex-a76`: every Embedded object carries weak
/// copies of the runtime, and those must not contain ARMv8.1 atomics.
func features(_ flags: String...) -> SwiftSetting {
  .unsafeFlags(flags.flatMap { ["-Xcc", $0] })
}
// Not tuned for one core, the compiler takes a small one, and hoists loads and products of a kernel's
// loop until registers spill. This changes the order of instructions, not which there are.
#if arch(arm64)
  let hostIsARM = true
#else
  let hostIsARM = false
#endif
let isARM = isFirmware ? firmware == "arm64" : hostIsARM
let swift: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes"),
    .enableExperimentalFeature("AddressableParameters"),
    .treatAllWarnings(as: .error),
  ] + (isFirmware ? embedded : ordinary) + (isARM ? [features("-mtune=cortex-a72")] : [])

let dotProduct = isARM ? swift + [features("-march=armv8-a+dotprod")] : swift
let avx2 = isARM ? swift : swift + [features("-mavx2", "-mfma")]

/// Folders of what only the tools need, heap and all.
let hostOnly = isFirmware ? ["Host"] : []

let vnni =
  isARM
  ? swift
  : swift + [
    features(
      "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vbmi", "-mavx512vnni")
  ]

let cxx: [CXXSetting] = [.unsafeFlags(["-fno-exceptions", "-fno-rtti"])]

var targets: [Target] = [
  .target(
    name: "CPlatform", linkerSettings: [.linkedLibrary("m"), .linkedLibrary("pthread")]),
  .target(name: "CCamera", linkerSettings: [.linkedLibrary("v4l2")]),
  .target(name: "CGPIO", linkerSettings: [.linkedLibrary("gpiod")]),
  .target(name: "CToml", cxxSettings: cxx, linkerSettings: [.linkedLibrary("stdc++")]),
  .target(name: "CKernels"),
  .target(name: "CImaging"),

  .target(
    name: "Platform", dependencies: ["CPlatform"], exclude: hostOnly, swiftSettings: swift),
  .target(name: "FrameRing", dependencies: ["Platform"], swiftSettings: swift),
  .target(name: "ImagingAVX2", dependencies: ["CImaging"], swiftSettings: avx2),
  .target(
    name: "Imaging",
    dependencies: ["CImaging", "CKernels", "ImagingAVX2", "FrameRing", "Platform"],
    swiftSettings: swift),
  .target(name: "KernelsDotProduct", dependencies: ["CKernels"], swiftSettings: dotProduct),
  .target(name: "KernelsAVX2", dependencies: ["CKernels"], swiftSettings: avx2),
  .target(name: "KernelsVNNI", dependencies: ["CKernels"], swiftSettings: vnni),
  .target(
    name: "Kernels",
    dependencies: ["CKernels", "KernelsDotProduct", "KernelsAVX2", "KernelsVNNI", "Platform"],
    swiftSettings: swift),
  .target(name: "Inference", dependencies: ["Kernels", "Platform"], swiftSettings: swift),
  .target(
    name: "Faces", dependencies: ["Inference", "Imaging", "Platform"], swiftSettings: swift),
  .target(name: "Liveness", dependencies: ["Faces", "Imaging", "Platform"], swiftSettings: swift),
  .target(
    name: "Camera",
    dependencies: ["CCamera", "FrameRing", "Imaging", "Platform"]
      + (isFirmware ? [] : ["CPicture"]),
    exclude: hostOnly, swiftSettings: swift),
  .target(name: "Board", dependencies: ["CGPIO", "Platform"], swiftSettings: swift),
  .target(name: "SerialLog", dependencies: ["CPlatform", "Platform"], swiftSettings: swift),
  .target(
    name: "Settings",
    dependencies: [
      "CToml", "CPlatform", "SerialLog", "Board", "Camera", "Faces", "Liveness", "Imaging",
      "Platform",
    ],
    swiftSettings: swift),
  .target(
    name: "Pipeline",
    dependencies: [
      "SerialLog", "Settings", "Board", "Camera", "Liveness", "Faces", "Inference", "Kernels",
      "Imaging", "FrameRing", "Platform", "CPlatform",
    ],
    swiftSettings: swift),
  .target(
    name: "SelfTest", dependencies: ["Kernels", "Inference", "Imaging", "Platform"],
    swiftSettings: swift),
  .executableTarget(
    name: "livelatchd",
    dependencies: [
      "Pipeline", "SelfTest", "Settings", "SerialLog", "Inference", "Kernels", "Platform",
    ],
    swiftSettings: swift),
]

if isFirmware {
  // Runs a network for the counting of instructions (board/bench); no part of the firmware.
  targets.append(
    .executableTarget(
      name: "invoke", dependencies: ["CPlatform", "Inference", "Kernels", "Platform"],
      path: "board/bench/invoke", swiftSettings: swift))
}
if !isFirmware {
  targets += [
    .target(
      name: "CPicture", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("spng")]),
    .executableTarget(
      name: "livelatch", dependencies: ["Pipeline", "Settings", "SelfTest"], swiftSettings: swift),
    .target(name: "ModelPacker", dependencies: ["Inference"], swiftSettings: swift),
    .executableTarget(
      name: "modelc", dependencies: ["ModelPacker", "Platform"], swiftSettings: swift),
    .target(name: "CFakeCamera", dependencies: ["CCamera"], path: "Tests/CFakeCamera"),
  ]
  let tests: [String: [Target.Dependency]] = [
    "Platform": [], "FrameRing": [], "Imaging": ["FrameRing"], "Kernels": ["SelfTest"],
    "Inference": ["ModelPacker", "SelfTest"], "Faces": ["Imaging", "Camera"], "Liveness": ["Faces"],
    "Camera": ["FrameRing", "CCamera", "CFakeCamera"], "Board": [],
    "Settings": ["Board", "Camera", "Liveness"],
    "SerialLog": [],
    "Pipeline": ["Board", "Camera", "Faces", "Liveness", "SerialLog", "Settings"],
  ]
  targets += tests.sorted { $0.key < $1.key }.map { name, more in
    .testTarget(
      name: "\(name)Tests",
      dependencies: [.target(name: name)] + (name == "Platform" ? [] : ["Platform"]) + more,
      swiftSettings: swift)
  }
}

// A sanitizer makes all code slow to build and to run: these tests, and what they need, are built.
let chosenTests = (Context.environment["TESTS"] ?? "").split(separator: ",").map { "\($0)Tests" }
let sanitizedTests = [
  "thread": ["FrameRingTests"], "address": ["InferenceTests", "SettingsTests", "CameraTests"],
]
let onlyTests = sanitizedTests[Context.environment["SANITIZE"] ?? ""] ?? chosenTests
if !onlyTests.isEmpty {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted else { return }
    for dependency in targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): need(name)
      default: break
      }
    }
  }
  onlyTests.forEach(need)
  targets.removeAll { !needed.contains($0.name) }
}

let package = Package(name: "livelatch", targets: targets, cxxLanguageStandard: .cxx17)
