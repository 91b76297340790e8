import CPlatform
import Imaging
import Inference
import Platform

/// The face detector: YuNet, which looks at cells of 8, 16 and 32 pixels.
///
/// Input: height x width x 3, RGB, as large as ``DetectorInput/size``. Twelve outputs by name, for
/// each stride s: `cls_s` and `obj_s` (one logit a cell), `bbox_s` (4: middle and logarithm of the
/// size, in cells), `kps_s` (10: right eye, left eye, nose, right and left mouth corner, in cells).
/// Any element type.
struct Detector: ~Copyable {
  /// Of two detections that overlap more, the better stays.
  static let mostOverlap: Float = 0.3

  private var network: Network
  private var downscaler: Downscaler
  private let grids: InlineArray<3, Grid>
  private let threshold: Float

  /// Bytes that the detector takes from the arena beyond its network.
  static func byteCount(_ input: DetectorInput, frameWidth: Int, frameHeight: Int) -> Int {
    Downscaler.scratchByteCount(
      width: input.size.width, height: input.size.height, frameWidth: frameWidth,
      frameHeight: frameHeight)
  }

  /// - Parameters:
  ///   - size: of the network's input. One of another size is refused: memory was planned for this.
  ///   - threshold: least score of a face, 0 to 1.
  init(
    _ network: consuming Network, _ size: DetectorInput, threshold: Float, frameWidth: Int,
    frameHeight: Int, arena: inout Arena
  ) throws(FacesError) {
    let input = try Self.accepted(network, size)
    let names: InlineArray<3, GridNames> = [
      GridNames("cls_8", "obj_8", "bbox_8", "kps_8"),
      GridNames("cls_16", "obj_16", "bbox_16", "kps_16"),
      GridNames("cls_32", "obj_32", "bbox_32", "kps_32"),
    ]
    let grids: InlineArray<3, Grid> = [
      try Grid(network, stride: 8, names[0], input), try Grid(network, stride: 16, names[1], input),
      try Grid(network, stride: 32, names[2], input),
    ]
    let scratch = try take(
      Self.byteCount(size, frameWidth: frameWidth, frameHeight: frameHeight), &arena)
    let downscaler = try Self.downscaler(input, scratch)
    self.network = network
    self.downscaler = downscaler
    self.grids = grids
    self.threshold = max(0.05, min(0.99, threshold))
  }

  private static func accepted(
    _ network: borrowing Network, _ size: DetectorInput
  ) throws(FacesError) -> TensorDescription {
    let input: TensorDescription
    do throws(ModelError) {
      guard network.inputCount == 1 else { throw .port(.input, index: 0, .count) }
      input = network.inputDescription(0)
      try network.expectInput(0, .int8, height: input.height, width: input.width, channels: 3)
    } catch {
      throw .network(.detector, error)
    }
    guard (input.width, input.height) == size.size else {
      throw .detectorInput(size, width: input.width, height: input.height)
    }
    return input
  }

  private static func downscaler(
    _ input: TensorDescription, _ scratch: UnsafeMutableRawBufferPointer
  ) throws(FacesError) -> Downscaler {
    do throws(ImagingError) {
      return try Downscaler(width: input.width, height: input.height, scratch: scratch)
    } catch {
      throw .picture(error)
    }
  }

  /// Looks at a frame, which must not be mirrored.
  /// - Parameter found: gets all faces, best first, in pixels of the upright picture.
  mutating func detect(
    _ frame: borrowing FrameView, _ found: inout DetectionList
  ) throws(ImagingError) {
    found.removeAll()
    let letterbox = try Self.scale(frame, &downscaler, into: &network)
    network.invoke()
    for index in 0..<3 { grids[index].collect(network, threshold, letterbox, &found) }
    found.suppressOverlaps(above: Self.mostOverlap)
  }
}

extension Detector {
  private static func scale(
    _ frame: borrowing FrameView, _ downscaler: inout Downscaler, into network: inout Network
  ) throws(ImagingError) -> Letterbox {
    var input = network.input(0)
    return try downscaler.scale(frame, into: &input)
  }
}

/// What the outputs of a grid are called.
struct GridNames {
  var cls, obj, bbox, kps: StaticString

  init(_ cls: StaticString, _ obj: StaticString, _ bbox: StaticString, _ kps: StaticString) {
    self.cls = cls
    self.obj = obj
    self.bbox = bbox
    self.kps = kps
  }
}

/// The cells of one stride.
struct Grid {
  let stride: Int
  let columns: Int
  let count: Int
  /// Numbers of the network's outputs.
  let cls, obj, bbox, kps: Int

  init(
    _ network: borrowing Network, stride: Int, _ names: GridNames, _ input: TensorDescription
  ) throws(FacesError) {
    let cells = (input.height / stride) * (input.width / stride)
    self.stride = stride
    columns = input.width / stride
    count = cells
    do throws(ModelError) {
      cls = try network.output(named: names.cls, count: cells, channels: 1)
      obj = try network.output(named: names.obj, count: cells, channels: 1)
      bbox = try network.output(named: names.bbox, count: 4 * cells, channels: 4)
      kps = try network.output(named: names.kps, count: 10 * cells, channels: 10)
    } catch {
      throw .network(.detector, error)
    }
  }

  /// Adds the cells that see a face. Both confidences must reach the square of the threshold, which
  /// is asked of the stored numbers: only the few cells that pass are turned into real ones.
  func collect(
    _ network: borrowing Network, _ threshold: Float, _ letterbox: Letterbox,
    _ found: inout DetectionList
  ) {
    let share = threshold * threshold
    let least = logf(share / (1 - share))
    let (clsOutput, objOutput) = (network.outputDescription(cls), network.outputDescription(obj))
    guard clsOutput.type == .int8, objOutput.type == .int8 else {
      for cell in 0..<count {
        consider(cell, network, threshold, letterbox, &found)
      }
      return
    }
    let leastCls = clsOutput.least(for: least)
    let leastObj = objOutput.least(for: least)
    let classes = network.output(cls)
    let objects = network.output(obj)
    for cell in 0..<count where Int32(classes[cell]) >= leastCls {
      if Int32(objects[cell]) >= leastObj {
        consider(cell, network, threshold, letterbox, &found)
      }
    }
  }

  private func consider(
    _ cell: Int, _ network: borrowing Network, _ threshold: Float, _ letterbox: Letterbox,
    _ found: inout DetectionList
  ) {
    let confidence = sigmoid(network.value(cell, ofOutput: cls))
    let score = (confidence * sigmoid(network.value(cell, ofOutput: obj))).squareRoot()
    guard score >= threshold else { return }
    let size = Float(stride)
    let corner = Point(x: Float(cell % columns), y: Float(cell / columns))
    func point(_ output: Int, _ element: Int) -> Point {
      let x = network.value(element, ofOutput: output)
      let y = network.value(element + 1, ofOutput: output)
      return letterbox.toPicture((corner + Point(x: x, y: y)) * size)
    }
    /// A side in pixels of the picture; no face is larger than 1024 cells.
    func side(_ element: Int) -> Float {
      min(1024, expf(network.value(element, ofOutput: bbox))) * size / letterbox.scale
    }
    let middle = point(bbox, 4 * cell)
    let width = side(4 * cell + 2)
    let height = side(4 * cell + 3)
    found.insert(
      Detection(
        box: Rect(
          x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height),
        score: score, rightEye: point(kps, 10 * cell), leftEye: point(kps, 10 * cell + 2)))
  }
}

extension TensorDescription {
  /// Least stored number that stands for at least `real`. int8 and int16 only.
  func least(for real: Float) -> Int32 {
    let stored = (real / scale).rounded(.up) + Float(zeroPoint)
    return Int32(max(-40_000, min(40_000, stored)))
  }
}
