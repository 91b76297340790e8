/// An action that a person can be asked for. Left and right are the person's own.
public enum Challenge: UInt8, Sendable {
  case smile, turn, turnLeft, turnRight, mouthOpen, nod, headUp, headDown, blink

  /// The name in settings and log.
  public var name: StaticString {
    switch self {
    case .smile: "smile"
    case .turn: "turn"
    case .turnLeft: "turn_left"
    case .turnRight: "turn_right"
    case .mouthOpen: "mouth_open"
    case .nod: "nod"
    case .headUp: "head_up"
    case .headDown: "head_down"
    case .blink: "blink"
    }
  }
}

/// Why a session failed.
public enum Failure: UInt8, Sendable {
  case timeout, faceLost, faceChanged, secondFace, wrongAction, tooEarly, flatFace, stillPicture
  case repeatedFrames, spoofSuspected

  /// The name in the log.
  public var name: StaticString {
    switch self {
    case .timeout: "timeout"
    case .faceLost: "face-lost"
    case .faceChanged: "face-changed"
    case .secondFace: "second-face"
    case .wrongAction: "wrong-action"
    case .tooEarly: "too-early"
    case .flatFace: "flat-face"
    case .stillPicture: "still-picture"
    case .repeatedFrames: "repeated-frames"
    case .spoofSuspected: "spoof-suspected"
    }
  }
}

/// What must be put right before the first challenge.
public enum Gate: UInt8, Sendable {
  case noFace, severalFaces, tooFar, tooNear, outsideGuide, tooDark, tooBright, blurred
  case notFrontal, frameRateLow

  /// The name in the log.
  public var name: StaticString {
    switch self {
    case .noFace: "no-face"
    case .severalFaces: "several-faces"
    case .tooFar: "too-far"
    case .tooNear: "too-near"
    case .outsideGuide: "outside-guide"
    case .tooDark: "too-dark"
    case .tooBright: "too-bright"
    case .blurred: "blurred"
    case .notFrontal: "not-frontal"
    case .frameRateLow: "frame-rate-low"
    }
  }
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension Challenge: CaseIterable {}
  extension Failure: CaseIterable {}
  extension Gate: CaseIterable {}
#endif
