import CPlatform
import Imaging
import Inference

/// The network that finds 468 points in a square of the picture.
///
/// Input: side x side x 3, RGB. Outputs: `landmarks` (468 times x, y, z, in pixels of the input)
/// and `presence` (a logit: whether there is a face at all). Any element type.
struct MeshNetwork: ~Copyable {
  private var network: Network
  private let pictures = PictureKernels.detect()
  private let side: Int
  private let landmarks: Int
  private let presence: Int

  init(_ network: consuming Network) throws(FacesError) {
    let outputs = try Self.outputs(network)
    side = network.inputDescription(0).width
    landmarks = outputs.landmarks
    presence = outputs.presence
    self.network = network
  }

  private static func outputs(
    _ network: borrowing Network
  ) throws(FacesError) -> (landmarks: Int, presence: Int) {
    do throws(ModelError) {
      guard network.inputCount == 1 else { throw .port(.input, index: 0, .count) }
      let side = network.inputDescription(0).width
      try network.expectInput(0, .int8, height: side, width: side, channels: 3)
      let landmarks = try network.output(named: "landmarks", count: 3 * MeshPoint.count)
      return (landmarks, try network.output(named: "presence", count: 1))
    } catch {
      throw .network(.mesh, error)
    }
  }

  /// Looks at a square of a frame, which must not be mirrored.
  /// - Parameter mesh: gets 468 points in pixels of the upright picture, good or not.
  /// - Returns: how sure it is that there is a face, 0 to 1.
  mutating func run(
    _ frame: borrowing FrameView, _ region: CropRegion,
    into mesh: UnsafeMutableBufferPointer<Point3>
  ) throws(ImagingError) -> Float {
    try network.fillInput(frame, region, pictures)
    network.invoke()
    let scale = region.width / Float(side)
    let along = Point(x: cosf(region.angle), y: sinf(region.angle)) * scale
    let half = Float(side) / 2
    for index in 0..<MeshPoint.count {
      let x = network.value(3 * index, ofOutput: landmarks) - half
      let y = network.value(3 * index + 1, ofOutput: landmarks) - half
      let z = network.value(3 * index + 2, ofOutput: landmarks)
      mesh[index] = Point3(
        x: region.center.x + along.x * x - along.y * y,
        y: region.center.y + along.y * x + along.x * y, z: z * scale)
    }
    return sigmoid(network.value(0, ofOutput: presence))
  }
}
