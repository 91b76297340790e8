import Platform

/// One measure of a face at rest: the median of its latest samples while it settles, then a slow
/// mean.
struct NeutralMeasure {
  static let window = 15
  /// Samples that make a value.
  static let fewest = 3

  private var samples = InlineArray<15, Float>(repeating: 0)
  private var next = 0
  private(set) var count = 0
  private(set) var value: Float?

  /// Takes a sample into the window; the value is the window's median.
  mutating func settle(_ sample: Float) {
    samples[next] = sample
    next = (next + 1) % Self.window
    count = min(count + 1, Self.window)
    if count >= Self.fewest { value = median() }
  }

  /// Moves the value by `share` of the way to the sample.
  mutating func follow(_ sample: Float, share: Float) {
    if let current = value { value = current + share * (sample - current) }
  }

  private func median() -> Float {
    var sorted = samples
    for index in 1..<count {
      let sample = sorted[index]
      var place = index
      while place > 0 && sorted[place - 1] > sample {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = sample
    }
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}

/// The person's own neutral face, which gestures are measured against.
struct NeutralFace {
  private var measures = InlineArray<5, NeutralMeasure>(repeating: NeutralMeasure())
  private var leftEye = NeutralMeasure()
  private var rightEye = NeutralMeasure()

  /// Eyes that read as less open than this are judged as if they were this open.
  static let narrowestEye: Float = 0.3
  /// Time constants, in seconds: of the slow mean, and of eyes that turn out to be wider.
  static let slowness: Float = 8
  static let widening: Float = 0.5

  subscript(measure: Measure) -> NeutralMeasure {
    get { measures[measure.rawValue] }
    set { measures[measure.rawValue] = newValue }
  }

  /// Whether the head's place at rest is known.
  var isKnown: Bool { self[.turn].value != nil }

  var openLeftEye: Float? { leftEye.value.map { max($0, Self.narrowestEye) } }
  var openRightEye: Float? { rightEye.value.map { max($0, Self.narrowestEye) } }

  /// Takes a frame in which nothing is asked.
  mutating func settle(_ measured: FaceMeasures) {
    for index in 0..<Measure.count {
      guard let measure = Measure(rawValue: index), let value = measured[measure] else { continue }
      self[measure].settle(value)
    }
    if let left = measured.leftEye { leftEye.settle(left) }
    if let right = measured.rightEye { rightEye.settle(right) }
  }

  /// Follows slow changes of what is inside half of its threshold, `seconds` after the last frame.
  mutating func follow(_ measured: FaceMeasures, _ reading: GestureReading, after seconds: Float) {
    let share = seconds / (Self.slowness + seconds)
    follow(.turn, measured, reading.turnLeft, reading.turnRight, share)
    follow(.headUp, measured, reading.headUp, reading.headDown, share)
    follow(.headDown, measured, reading.headUp, reading.headDown, share)
    follow(.mouth, measured, reading.mouthOpen, reading.mouthOpen, share)
    follow(.smile, measured, reading.smile, reading.smile, share)
    Self.follow(&leftEye, measured.leftEye, reading.leftEyeOpen, after: seconds)
    Self.follow(&rightEye, measured.rightEye, reading.rightEyeOpen, after: seconds)
  }

  private mutating func follow(
    _ measure: Measure, _ measured: FaceMeasures, _ one: Float?, _ other: Float?, _ share: Float
  ) {
    guard let value = measured[measure] else { return }
    guard let one, let other else { return self[measure].settle(value) }
    if one <= 0.5 && other <= 0.5 { self[measure].follow(value, share: share) }
  }

  private static func follow(
    _ eye: inout NeutralMeasure, _ value: Float?, _ openness: Float?, after seconds: Float
  ) {
    guard let value else { return }
    guard let openness else { return eye.settle(value) }
    // Shut eyes say nothing of open ones.
    guard openness > 0.7 else { return }
    let constant = openness > 1 ? widening : slowness
    eye.follow(value, share: seconds / (constant + seconds))
  }
}

extension NeutralFace {
  /// The frame against this face.
  func read(_ measured: FaceMeasures, _ options: LivenessOptions) -> GestureReading {
    let limits = Limits(options)
    var reading = GestureReading()
    reading.turnLeft = strength(measured, .turn, limits.turn)
    reading.turnRight = strength(measured, .turn, limits.turnBack)
    reading.headUp = strength(measured, .headUp, limits.headUp)
    reading.headDown = strength(measured, .headDown, limits.headDown)
    reading.mouthOpen = strength(measured, .mouth, limits.mouth)
    reading.smile = strength(measured, .smile, limits.smile)
    if let left = measured.leftEye, let open = openLeftEye { reading.leftEyeOpen = left / open }
    if let right = measured.rightEye, let open = openRightEye {
      reading.rightEyeOpen = right / open
    }
    return reading
  }

  private func strength(
    _ measured: FaceMeasures, _ measure: Measure, _ limit: Limit
  ) -> Float? {
    guard let value = measured[measure], let neutral = self[measure].value else { return nil }
    return limit.strength(of: value, neutral: neutral)
  }
}

/// Where a gesture's threshold lies.
enum Limit {
  /// So far from the neutral value, which itself is at most `highest`: somebody who laughs from the
  /// start has to stop first. A negative `rise` counts downwards.
  case relative(rise: Float, highest: Float)
  /// At a fixed value, and at least `span` from the neutral one.
  case absolute(Float, span: Float)

  /// 0 at the neutral value, 1 at the threshold.
  func strength(of value: Float, neutral: Float) -> Float {
    switch self {
    case .relative(let rise, let highest):
      return (value - (rise > 0 ? min(neutral, highest) : neutral)) / rise
    case .absolute(let limit, let span):
      let start = span > 0 ? min(neutral, limit - span) : max(neutral, limit - span)
      return (value - start) / (limit - start)
    }
  }
}

/// The thresholds of a rule set.
struct Limits {
  let turn, turnBack, headUp, headDown, mouth, smile: Limit

  init(_ options: LivenessOptions) {
    switch options.rules {
    case .pose:
      let rules = options.pose
      turn = .relative(rise: rules.turn, highest: .infinity)
      turnBack = .relative(rise: -rules.turn, highest: .infinity)
      headUp = .relative(rise: rules.headUp, highest: .infinity)
      headDown = .relative(rise: rules.headDown, highest: .infinity)
      mouth = .relative(rise: rules.mouthOpening, highest: rules.mouthOpening / 2)
      smile = .relative(rise: rules.smileRise, highest: (1 - rules.smileRise) / 2)
    case .book:
      // The book knows no neutral face. Half of a threshold is half of the way to it, and the way
      // is at least half of the number itself (for the nose against the cheek, of the other one).
      let rules = options.book
      turn = .absolute(rules.turn, span: rules.turn / 2)
      turnBack = .absolute(-rules.turn, span: -rules.turn / 2)
      headUp = .absolute(-rules.headUp, span: abs(rules.headUp) / 2)
      headDown = .absolute(rules.headDown, span: abs(rules.headUp) / 2)
      mouth = .absolute(rules.mouthOpening, span: rules.mouthOpening / 2)
      smile = .absolute(rules.smile, span: rules.smile / 2)
    }
  }
}
