import Imaging

/// A face as the detector sees it, in pixels of the upright picture.
struct Detection: Equatable {
  var box: Rect
  /// Geometric mean of the two confidences, 0 to 1.
  var score: Float
  /// The person's own right and left eye; the line through them is how the face is tilted.
  var rightEye: Point
  var leftEye: Point

  init(box: Rect, score: Float, rightEye: Point, leftEye: Point) {
    self.box = box
    self.score = score
    self.rightEye = rightEye
    self.leftEye = leftEye
  }

  static let none = Detection(
    box: Rect(x: 0, y: 0, width: 0, height: 0), score: 0, rightEye: Point(x: 0, y: 0),
    leftEye: Point(x: 0, y: 0))
}

/// At most 64 detections, best first. When it is full a better one pushes out the worst.
struct DetectionList {
  static let capacity = 64

  private var storage = InlineArray<64, Detection>(repeating: .none)
  private(set) var count = 0

  init() {}

  subscript(index: Int) -> Detection {
    precondition(index < count)
    return storage[index]
  }

  mutating func removeAll() { count = 0 }

  /// Puts it behind all that are at least as good.
  mutating func insert(_ detection: Detection) {
    if count == Self.capacity {
      guard detection.score > storage[count - 1].score else { return }
      count -= 1
    }
    var place = count
    while place > 0 && storage[place - 1].score < detection.score {
      storage[place] = storage[place - 1]
      place -= 1
    }
    storage[place] = detection
    count += 1
  }

  /// Of detections that overlap more than `limit` (shared over joint area), the best stays.
  mutating func suppressOverlaps(above limit: Float) {
    var kept = 0
    for candidate in 0..<count {
      var stays = true
      for other in 0..<kept where storage[other].box.overlap(storage[candidate].box) > limit {
        stays = false
        break
      }
      guard stays else { continue }
      storage[kept] = storage[candidate]
      kept += 1
    }
    count = kept
  }
}
