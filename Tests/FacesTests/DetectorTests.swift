import CPlatform
import Camera
import Imaging
import Platform
import Testing

@testable import Faces
@testable import Inference

/// A detector's twelve output tensors, written by hand: real ports of the shipped network, whose
/// elements the test says. The network never runs.
final class HandMadeTensors {
  /// Of the network's input.
  static let (width, height) = (160, 128)
  static let strides = [8, 16, 32]

  private let memory: MemoryMap
  private var owned: [UnsafeMutableRawBufferPointer] = []
  let network: Network

  /// - Parameter type: of all outputs; int8 and int16 have the given scale and zero point, int32 has
  ///   the scale in every channel.
  init(_ type: ElementType = .int8, scale: Float = 1.0 / 16, zeroPoint: Int32 = 3) throws {
    memory = try MemoryMap(byteCount: 2 << 20)
    var arena = Arena(memory.bytes)
    network = try RealFinder.load("yunet-160", &arena)
    for index in 0..<network.outputCount {
      let place = network.inputCount + index
      let description = network.ports[place].description
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: description.count * type.byteCount, alignment: 64)
      let scales = UnsafeMutableRawBufferPointer.allocate(
        byteCount: description.channels * 4, alignment: 64)
      owned += [bytes, scales]
      network.ports[place].start = try #require(bytes.baseAddress)
      network.ports[place].scales = scales.bindMemory(to: Float.self)
      network.ports[place].scales.initialize(repeating: scale)
      network.ports[place].description.type = type
      network.ports[place].description.scale = type == .int32 ? 0 : scale
      network.ports[place].description.zeroPoint = type == .int32 ? 0 : zeroPoint
    }
    clear()
  }

  deinit { owned.forEach { $0.deallocate() } }

  /// Nobody anywhere: all logits far below zero, all places 0.
  func clear() {
    for stride in Self.strides {
      for cell in 0..<Self.cells(stride) {
        set("cls", stride, cell, to: -7)
        set("obj", stride, cell, to: -7)
        for channel in 0..<4 { set("bbox", stride, 4 * cell + channel, to: 0) }
        for channel in 0..<10 { set("kps", stride, 10 * cell + channel, to: 0) }
      }
    }
  }

  static func cells(_ stride: Int) -> Int { width / stride * height / stride }

  private func port(_ name: String, _ stride: Int) -> Port {
    let wanted = Array("\(name)_\(stride)".utf8)
    for index in 0..<network.outputCount {
      let port = network.ports[network.inputCount + index]
      let found = port.description.name
      if (0..<found.count).map({ found[$0] }) == wanted { return port }
    }
    preconditionFailure("the network has no output \(name)_\(stride)")
  }

  /// Stores the number next to `real`.
  /// - Returns: what it stands for.
  @discardableResult
  func set(_ name: String, _ stride: Int, _ element: Int, to real: Float) -> Float {
    let port = port(name, stride)
    precondition(element < port.description.count)
    let isRaw = port.description.type == .int32
    let scale = isRaw ? port.scales[0] : port.description.scale
    let zeroPoint = isRaw ? 0 : port.description.zeroPoint
    let stored = Int32((real / scale).rounded()) + zeroPoint
    switch port.description.type {
    case .int8: port.start.storeBytes(of: Int8(stored), toByteOffset: element, as: Int8.self)
    case .int16: port.start.storeBytes(of: Int16(stored), toByteOffset: 2 * element, as: Int16.self)
    case .int32: port.start.storeBytes(of: stored, toByteOffset: 4 * element, as: Int32.self)
    }
    return Float(stored - zeroPoint) * scale
  }

  /// A face in a cell; places and logarithms in cells, as the network gives them.
  func put(
    _ stride: Int, cell: Int, logit: Float = 4, box: [Float] = [0.5, 0.5, 1, 1],
    points: [Float] = [0, 0, 1, 0, 0.5, 0.5, 0, 1, 1, 1]
  ) {
    set("cls", stride, cell, to: logit)
    set("obj", stride, cell, to: logit)
    for (channel, value) in box.enumerated() { set("bbox", stride, 4 * cell + channel, to: value) }
    for (channel, value) in points.enumerated() {
      set("kps", stride, 10 * cell + channel, to: value)
    }
  }

  /// What the detector reads off, before overlaps are suppressed.
  func read(
    threshold: Float = 0.6, _ letterbox: Letterbox = Letterbox(scale: 1, offset: Point(x: 0, y: 0))
  ) throws -> DetectionList {
    var found = DetectionList()
    let input = network.inputDescription(0)
    let names = [
      GridNames("cls_8", "obj_8", "bbox_8", "kps_8"),
      GridNames("cls_16", "obj_16", "bbox_16", "kps_16"),
      GridNames("cls_32", "obj_32", "bbox_32", "kps_32"),
    ]
    for (stride, names) in zip(Self.strides, names) {
      try Grid(network, stride: stride, names, input).collect(network, threshold, letterbox, &found)
    }
    return found
  }
}

@Suite struct DetectorTests {
  /// Each stride, its first cell, one in the middle and its last, in every element type: box and eyes
  /// lie where the cell and its four and ten numbers say, in pixels of the picture.
  @Test(arguments: [ElementType.int8, .int16, .int32], HandMadeTensors.strides)
  func aCellIsReadAsYuNetMeansIt(_ type: ElementType, _ stride: Int) throws {
    let tensors = try HandMadeTensors(type)
    let (columns, rows) = (HandMadeTensors.width / stride, HandMadeTensors.height / stride)
    let letterbox = Letterbox(scale: 0.25, offset: Point(x: 0, y: 4))
    for (column, row) in [(0, 0), (columns / 2, rows / 3), (columns - 1, rows - 1)] {
      tensors.clear()
      tensors.put(
        stride, cell: row * columns + column, logit: 2, box: [0.25, 0.75, 1.5, -0.5],
        points: [-1, 0.5, 1.25, -0.25, 7, -7, 3, -3, 5, -5])
      let found = try tensors.read(letterbox)
      try #require(found.count == 1)
      // By YuNet's definition, in the network's input, and from there back to the picture.
      let cell = Float(stride)
      func picture(_ x: Float, _ y: Float) -> Point {
        Point(
          x: (Float(column) + x) * cell / 0.25, y: ((Float(row) + y) * cell - 4) / 0.25)
      }
      let box = found[0].box
      #expect(box.center.distance(to: picture(0.25, 0.75)) < 1e-2)
      #expect(abs(box.width - 4.481_689 * cell / 0.25) < 1e-2)
      #expect(abs(box.height - 0.606_530_66 * cell / 0.25) < 1e-2)
      #expect(found[0].rightEye.distance(to: picture(-1, 0.5)) < 1e-2)
      #expect(found[0].leftEye.distance(to: picture(1.25, -0.25)) < 1e-2)
      // 1 / (1 + exp(-2)), the mean of two equal confidences.
      #expect(abs(found[0].score - 0.880_797) < 1e-5)
    }
  }

  /// The score is the geometric mean of both confidences; every pair of stored numbers is judged by
  /// it, whatever is skipped to save time.
  @Test(arguments: [ElementType.int8, .int16], [Float(0.3), 0.6, 0.9])
  func everyPairOfConfidencesIsJudgedByItsMean(_ type: ElementType, _ threshold: Float) throws {
    let tensors = try HandMadeTensors(type, scale: 0.25, zeroPoint: -5)
    for cls in stride(from: Float(-8), through: 8, by: 0.25) {
      for obj in stride(from: Float(-8), through: 8, by: 0.25) {
        tensors.set("cls", 32, 7, to: cls)
        tensors.set("obj", 32, 7, to: obj)
        let score = (1 / ((1 + expf(-cls)) * (1 + expf(-obj)))).squareRoot()
        // Where rounding of the last bit decides, either is right.
        guard abs(score - threshold) > 1e-5 else { continue }
        let found = try tensors.read(threshold: threshold)
        #expect(found.count == (score > threshold ? 1 : 0), "\(cls), \(obj)")
        if found.count == 1 { #expect(abs(found[0].score - score) < 1e-5) }
      }
    }
  }

  /// One face is seen by neighbouring cells and by two strides: the best of them stays, and another
  /// face beside it as well.
  @Test func theBestOfOverlappingCellsStays() throws {
    let tensors = try HandMadeTensors()
    // About (64, 64), 32 wide: cell 8 of row 8 in strides of 8, cell 4 of row 4 in strides of 16.
    tensors.put(8, cell: 8 * 20 + 8, logit: 2, box: [0, 0, 1.375, 1.375])
    tensors.put(8, cell: 8 * 20 + 9, logit: 3, box: [-1, 0.5, 1.375, 1.375])
    tensors.put(16, cell: 4 * 10 + 4, logit: 4, box: [0, 0, 0.6875, 0.6875])
    tensors.put(16, cell: 4 * 10 + 6, logit: 1, box: [0.5, 0, 0.6875, 0.6875])
    var found = try tensors.read()
    #expect(found.count == 4)
    found.suppressOverlaps(above: Detector.mostOverlap)
    try #require(found.count == 2)
    #expect(found[0].box.center == Point(x: 64, y: 64))
    #expect(found[1].box.center == Point(x: 104, y: 64))
    #expect(abs(found[0].score - 0.982_013_8) < 1e-5)
  }

  /// Shared over joint area: of two squares of 100 that share 46 columns, 46 of 154 or 0.2987; with
  /// 47 it is 0.3072.
  @Test(arguments: [(Float(46), 2), (47, 1)])
  func overlapsAreCutAtTheirLimit(_ columns: Float, stay: Int) {
    var list = DetectionList()
    let side: Float = 100
    for (index, x) in [Float(0), side - columns].enumerated() {
      list.insert(
        Detection(
          box: Rect(x: x, y: 0, width: side, height: side), score: 0.9 - Float(index) * 0.1,
          rightEye: Point(x: 0, y: 0), leftEye: Point(x: 0, y: 0)))
    }
    list.suppressOverlaps(above: Detector.mostOverlap)
    #expect(list.count == stay)
  }

  /// A face at the border keeps its whole box, as far as it may reach over: cut boxes would move the
  /// crop off the face and make a near face look far.
  @Test func aFaceAtTheBorderKeepsItsWholeBox() throws {
    let tensors = try HandMadeTensors()
    tensors.put(32, cell: 0, box: [0.25, 0.25, 1, 1])
    tensors.put(32, cell: HandMadeTensors.cells(32) - 1, logit: 3, box: [0.75, 0.75, 1, 1])
    let found = try tensors.read()
    try #require(found.count == 2)
    let side = 32 * Float(2.718_281_8)
    #expect(found[0].box.center == Point(x: 8, y: 8) && abs(found[0].box.x - 8 + side / 2) < 1e-3)
    #expect(found[0].box.y < 0)
    #expect(found[1].box.center == Point(x: 152, y: 120))
    #expect(found[1].box.maxX > 160 && found[1].box.maxY > 128)
  }

  /// Sizes are exponentials: one that is out of all bounds stays a number.
  @Test func noBoxIsEndless() throws {
    let tensors = try HandMadeTensors(scale: 1)
    tensors.put(8, cell: 0, box: [0, 0, 120, -120])
    let found = try tensors.read()
    try #require(found.count == 1)
    #expect(found[0].box.width == 1024 * 8 && found[0].box.height == 0)
    var list = found
    list.suppressOverlaps(above: Detector.mostOverlap)
    #expect(list.count == 1)
  }

  /// The way there and back through the real network: the same picture inside of frames of other
  /// shapes, which are letterboxed in other ways.
  @Test(arguments: [(512, 400), (300, 620), (900, 300)])
  func letterboxesAreUndone(_ width: Int, _ height: Int) throws {
    let plain = try Picture.portrait(width: 320, height: 256, x: 8, y: 8)
    func boxesOnly(_ options: inout FaceOptions) {
      options.meshes = 0
      options.minFaceSize = 0.03
    }
    let home = try #require(
      try RealFinder.forPictures(width: 320, height: 256, boxesOnly).process(plain).first)
    for (x, y) in [(0, 0), (width - 260, height - 256)] {
      let picture = try Picture.portrait(width: width, height: height, x: x, y: y)
      let finder = try RealFinder.forPictures(width: width, height: height, boxesOnly)
      let face = try #require(try finder.process(picture).first)
      var expected = home.box
      expected.x += Float(x - 8)
      expected.y += Float(y - 8)
      #expect(face.box.overlap(expected) > 0.75, "\(face.box) for \(expected)")
    }
  }

  // MARK: Networks that do not fit

  /// Two sizes of one network lie side by side: the wrong one is refused in words.
  @Test func aDetectorOfAnotherSizeIsRefused() throws {
    for (wanted, name, message) in [
      (
        DetectorInput.w320h240, "yunet-160",
        "detector: the model's input is 160x128 pixels, the settings ask for 320x256"
      ),
      (
        .w160h120, "yunet-320",
        "detector: the model's input is 320x256 pixels, the settings ask for 160x128"
      ),
    ] {
      #expect(try refusal(of: name, as: wanted) == message)
    }
  }

  @Test func anotherNetworkIsNoDetector() throws {
    #expect(
      try refusal(of: "eye-open", as: .w320h240)
        == "detector: this is another model than expected: input 0: shape")
    #expect(
      try refusal(of: "mesh468", as: .w320h240)
        == "detector: the model's input is 192x192 pixels, the settings ask for 320x256")
  }

  private func refusal(of name: String, as input: DetectorInput) throws -> String {
    let memory = try MemoryMap(byteCount: 8 << 20)
    var arena = Arena(memory.bytes)
    var options = FaceOptions()
    options.detectorInput = input
    let networks = FaceNetworks(
      detector: try RealFinder.load(name, &arena), mesh: try RealFinder.load("mesh468", &arena))
    do throws(FacesError) {
      _ = try FaceFinder(
        options, networks: networks, frameWidth: 640, frameHeight: 480, arena: &arena)
      return ""
    } catch {
      let text = error.message
      return String(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self)
    }
  }

  /// What is planned before the networks are there is what a finder takes.
  @Test(arguments: [DetectorInput.w160h120, .w320h240], [(640, 480), (1920, 1080)])
  func thePlanIsEnoughAndNotMuchMore(_ input: DetectorInput, _ frame: (Int, Int)) throws {
    let memory = try MemoryMap(byteCount: 8 << 20)
    var arena = Arena(memory.bytes)
    var options = FaceOptions()
    options.detectorInput = input
    let networks = FaceNetworks(
      detector: try RealFinder.load(
        input == .w160h120 ? "yunet-160" : "yunet-320", &arena),
      mesh: try RealFinder.load("mesh468", &arena))
    let plan = FaceFinder.byteCount(options, frameWidth: frame.0, frameHeight: frame.1)
    let own = try MemoryMap(byteCount: plan)
    var exact = Arena(UnsafeMutableRawBufferPointer(rebasing: own.bytes[..<plan]))
    _ = try FaceFinder(
      options, networks: networks, frameWidth: frame.0, frameHeight: frame.1, arena: &exact)
    #expect(plan - exact.used <= 2 * FaceFinder.alignment)
  }
}
