import CCamera
import Platform

/// Where a camera was found.
struct FoundCamera {
  let path: FixedString<128>
  let card: FixedString<32>
  let driver: FixedString<16>
}

/// Finds the camera that the settings name: the device file itself, or the first that captures
/// video under that name.
func findCamera(
  _ options: CameraOptions, _ calls: CameraCalls
) throws(CameraError) -> FoundCamera {
  if options.device.hasPrefix("/") {
    return try camera(at: options.device, calls)
  }
  var answer: CameraError?
  for number in 0..<mostCameras {
    var path = FixedString<128>("/dev/video")
    path.append(number)
    do {
      let identity = try calls.identify(path)
      let card: FixedString<32> = text(identity.card)
      // A webcam's second node, for metadata, has its name too.
      guard card.equals(options.device), captures(identity, calls.access) else { continue }
      return FoundCamera(path: path, card: card, driver: text(identity.driver))
    } catch {
      // Numbers have gaps; what keeps a node from being looked at may be what is wrong.
      if error.code != 2, error.code != 19, error.code != 25 {
        answer = CameraError(.open, path: path, errno: error)
      }
    }
  }
  throw answer ?? CameraError(.noSuchName, path: options.device)
}

/// Numbers of device files that are looked at. Kernels give out 64 of them, and more on request.
private let mostCameras = 64

private func camera(
  at path: FixedString<128>, _ calls: CameraCalls
) throws(CameraError) -> FoundCamera {
  let identity: camera_identity
  do { identity = try calls.identify(path) } catch {
    throw CameraError(error.code == 25 ? .notACamera(nil) : .open, path: path, errno: error)
  }
  let card: FixedString<32> = text(identity.card)
  guard captures(identity, calls.access) else {
    var detail = FixedString<160>()
    detail.append(card)
    throw CameraError(.notACamera(kindName(identity.kind)), path: path, detail: detail)
  }
  return FoundCamera(path: path, card: card, driver: text(identity.driver))
}

private func captures(_ identity: camera_identity, _ access: CameraAccess) -> Bool {
  identity.kind == CAMERA_CAPTURES
    || identity.kind == CAMERA_CAPTURES_PLANES && access == .libv4l2
}

/// What a node is that is no camera.
private func kindName(_ kind: camera_kind) -> StaticString {
  switch kind {
  case CAMERA_CAPTURES_PLANES: "a camera of several planes, which access = \"direct\" cannot take"
  case CAMERA_IS_METADATA: "a node for metadata"
  case CAMERA_IS_OUTPUT: "a node for output"
  case CAMERA_IS_CODEC: "a codec"
  default: "another kind of node"
  }
}

/// A zero-terminated text out of a C struct's array.
private func text<Characters, let capacity: Int>(
  _ characters: Characters
) -> FixedString<capacity> {
  var text = FixedString<capacity>()
  withUnsafeBytes(of: characters) { bytes in
    for byte in bytes {
      if byte == 0 { break }
      // Names come from the plug: what is no plain character could break a log line.
      text.append(byte: 0x20...0x7E ~= byte ? byte : UInt8(ascii: "?"))
    }
  }
  return text
}

extension FixedString {
  func equals<let other: Int>(_ text: FixedString<other>) -> Bool {
    guard count == text.count else { return false }
    for index in 0..<count where self[index] != text[index] { return false }
    return true
  }
}
