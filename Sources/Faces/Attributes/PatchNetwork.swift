import CPlatform
import Imaging
import Inference

/// A network that tells one probability from a small grey patch: an open eye, or a smile.
///
/// Input: height x width x 1, evened out so that exposure and contrast are gone. One output of one
/// element, a logit.
struct PatchNetwork: ~Copyable {
  /// A patch is brought to mean 0 and this deviation, but for what is added to a small one.
  static let deviation: Float = 48
  static let addedDeviation: Float = 6
  /// With less deviation there is nothing to see, in levels of 256.
  static let leastDeviation: Float = 4

  private var network: Network
  private let pictures = PictureKernels.detect()

  init(_ network: consuming Network, _ job: FaceNetwork) throws(FacesError) {
    try Self.check(network, job)
    self.network = network
  }

  private static func check(_ network: borrowing Network, _ job: FaceNetwork) throws(FacesError) {
    do throws(ModelError) {
      guard network.inputCount == 1 else { throw .port(.input, index: 0, .count) }
      let input = network.inputDescription(0)
      try network.expectInput(0, .int8, height: input.height, width: input.width, channels: 1)
      guard network.outputCount == 1 else { throw .port(.output, index: 0, .count) }
      guard network.outputDescription(0).count == 1 else { throw .port(.output, index: 0, .shape) }
    } catch {
      throw .network(job, error)
    }
  }

  /// Probability, 0 to 1; nil for a patch without any structure.
  mutating func run(
    _ frame: borrowing FrameView, _ region: CropRegion, isMirrored: Bool = false
  ) throws(ImagingError) -> Float? {
    try network.fillInput(frame, region, pictures)
    let width = network.inputDescription(0).width
    guard Self.prepare(&network, width: width, isMirrored: isMirrored) else { return nil }
    network.invoke()
    return sigmoid(network.value(0, ofOutput: 0))
  }

  private static func prepare(_ network: inout Network, width: Int, isMirrored: Bool) -> Bool {
    var patch = network.input(0)
    if isMirrored { mirror(&patch, width: width) }
    return evenOut(&patch)
  }

  /// Reverses the columns.
  static func mirror(_ patch: inout MutableSpan<Int8>, width: Int) {
    for row in 0..<patch.count / width {
      for column in 0..<width / 2 {
        patch.swapAt(row * width + column, row * width + width - 1 - column)
      }
    }
  }

  /// Brings a patch to the mean and deviation that the heads were taught with. False, and nothing
  /// changes, when it has no structure.
  static func evenOut(_ patch: inout MutableSpan<Int8>) -> Bool {
    var (sum, squares) = (Int32(0), Int32(0))
    for index in 0..<patch.count {
      let value = Int32(patch[index])
      sum += value
      squares += value * value
    }
    let count = Float(patch.count)
    let mean = Float(sum) / count
    let spread = max(0, Float(squares) / count - mean * mean).squareRoot()
    guard spread >= leastDeviation else { return false }
    let gain = deviation / (spread + addedDeviation)
    for index in 0..<patch.count {
      let value = ((Float(patch[index]) - mean) * gain).rounded(.toNearestOrEven)
      patch[index] = Int8(max(-128, min(127, value)))
    }
    return true
  }
}

/// Where the heads look, in pixels of the upright picture.
enum FacePatch {
  /// Of an eye: the middle of its corners, along the line between them. The patch of the left eye
  /// is mirrored, so that both show the outer corner at the left.
  static func eye(_ mesh: Span<Point3>, isLeft: Bool) -> CropRegion {
    let start = mesh[isLeft ? MeshPoint.leftEyeInner : MeshPoint.rightEyeOuter].flat
    let end = mesh[isLeft ? MeshPoint.leftEyeOuter : MeshPoint.rightEyeInner].flat
    let line = end - start
    let width = 1.8 * line.length
    return CropRegion(
      center: (start + end) * 0.5, width: width, height: 0.75 * width,
      angle: atan2f(line.y, line.x))
  }

  /// Of the mouth, as wide as the eyes are apart whatever the mouth does.
  static func mouth(_ mesh: Span<Point3>) -> CropRegion {
    let center =
      (mesh[MeshPoint.mouthRight].flat + mesh[MeshPoint.mouthLeft].flat
        + mesh[MeshPoint.upperLipTop].flat + mesh[MeshPoint.mouthBottom].flat) * 0.25
    let line = mesh[MeshPoint.leftEyeOuter].flat - mesh[MeshPoint.rightEyeOuter].flat
    let width = 1.15 * line.length
    return CropRegion(
      center: center, width: width, height: 0.7 * width, angle: atan2f(line.y, line.x))
  }
}
