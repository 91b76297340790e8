import Imaging
import Platform

/// How measurements become gestures.
public enum GestureRules: UInt8, Sendable {
  /// Against the person's own neutral face, in degrees and shares of the distance between the eyes.
  case pose
  /// Fixed numbers of points in a view of given size, as the book's phone example has them.
  case book

  /// The name in settings and log.
  public var name: StaticString {
    switch self {
    case .pose: "pose"
    case .book: "book"
    }
  }
}

/// Who decides what is asked next.
public enum ChallengeOrder: UInt8, Sendable {
  /// Drawn anew for every session, never the same twice in a row.
  case random
  /// As listed. For tests and demonstrations: an attacker knows what comes.
  case fixed

  /// The name in settings and log.
  public var name: StaticString {
    switch self {
    case .random: "random"
    case .fixed: "fixed"
    }
  }
}

/// Thresholds of the rules ``GestureRules/pose``. All but the eyes' are differences to the neutral
/// face; a measure is neutral again inside half of its threshold.
public struct PoseThresholds: Equatable, Sendable {
  /// Degrees of yaw, 10 to 60.
  public var turn: Float = 20
  /// Degrees of pitch, 5 to 40.
  public var headUp: Float = 15
  public var headDown: Float = 15
  /// Gap between the lips over the distance between the outer eye corners, 0.05 to 1.
  public var mouthOpening: Float = 0.22
  /// Rise of the smile's probability, 0.1 to 0.9.
  public var smileRise: Float = 0.4

  public init() {}
}

/// When eyes count as shut, in both rule sets: shares of the person's own open eyes, since narrow
/// and tired eyes read as half open.
public struct BlinkThresholds: Equatable, Sendable {
  /// Both eyes are more shut than this, 0.05 to 0.7.
  public var shut: Float = 0.5
  /// Both are more open than this, from `shut` to 0.95.
  public var open: Float = 0.75
  /// How long the eyes are shut, 20 ms to 3 s.
  public var shortest: Duration = .milliseconds(50)
  public var longest: Duration = .milliseconds(1_000)

  public init() {}
}

/// The book's numbers, in points of its view. The picture fills the view, keeps its aspect and
/// hangs over on two sides.
public struct BookRules: Equatable, Sendable {
  /// Size of the view: 100 to 10,000 points a side.
  public var viewWidth: Float = 375
  public var viewHeight: Float = 667
  /// The two distances from nose to cheek differ by more.
  public var turn: Float = 20
  /// The nose is less below the eye.
  public var headUp: Float = 24
  /// The nose is more below the cheek.
  public var headDown: Float = 0
  /// The lips are further apart.
  public var mouthOpening: Float = 18
  /// The smile is more probable.
  public var smile: Float = 0.3

  public init() {}
}

/// What must hold before a session may begin. A measure that is absent closes no gate.
public struct GateOptions: Equatable, Sendable {
  /// Width of the face's box over the picture's width.
  public var narrowestFace: Float = 0.1
  public var widestFace: Float = 0.7
  /// Where the face must be, in shares of the picture's width and height.
  public var guide = Rect(x: 0, y: 0, width: 1, height: 1)
  /// Share of the face's box that may hang over the guide at any side, 0 to 0.5.
  public var overhang: Float = 0.15
  /// A second face counts from this share of the nearer one's width, 0 to 1.
  public var secondFace: Float = 0.33
  /// Mean luma of the face outside of this is too dark or too bright.
  public var darkestLuma: Float = 30
  public var brightestLuma: Float = 225
  /// More of the face than this being black, or blown out, closes the gate as well.
  public var darkShare: Float = 0.85
  public var brightShare: Float = 0.5
  /// Sharpness of the face below this is blurred.
  public var sharpness: Float = 0.006
  /// Degrees off the camera that still count as looking straight.
  public var yaw: Float = 15
  public var pitch: Float = 25
  public var roll: Float = 20
  /// Frames a second that gestures need: three frames in a hold of 200 ms and a little more.
  public var framesPerSecond: Float = 9
  /// Good frames in a row that open the gates, 1 to 30.
  public var framesToOpen = 3
  /// A gate is spoken of when it was closed for so long.
  public var patience: Duration = .milliseconds(400)

  public init() {}
}

/// How the person is greeted. It decides nothing.
public struct GreetingOptions: Equatable, Sendable {
  public var enabled = true
  /// Frames that vote, 1 to 15.
  public var votes = 5
  /// Mean probability of the winner below which the greeting is neutral, 0.5 to 1.
  public var probability: Float = 0.8
  /// Votes are waited for so long after the face is found, not longer: 0 to 500 ms.
  public var patience: Duration = .milliseconds(250)

  public init() {}
}

/// When a face is taken for a picture of one.
public struct SpoofOptions: Equatable, Sendable {
  /// `Face.relief` below this is flat; 0 switches the check off.
  public var flatRelief: Float = 0.4
  /// Frames in a row that must be flat.
  public var flatFrames = 5
  /// Nothing in the face moves for so long: 2 to 60 s.
  public var stillTime: Duration = .seconds(4)
  /// What counts as moving: a place by so many distances between the eyes, 0.001 to 0.1.
  public var stillness: Float = 0.01
  /// Frames repeat for so long: 0.5 to 60 s.
  public var repeatTime: Duration = .seconds(1)
  /// So many weak signs at once make a passed session suspected: 1 to 4, 0 switches it off.
  public var weakSigns = 2

  public init() {}
}

/// When the door stops listening after failures.
///
/// Every failed session counts but one that ended by ``Failure/timeout`` or ``Failure/faceLost``
/// before anything was passed and without any gesture seen: people who wait near a door, or walk
/// by, attack nothing. Once a challenge was passed, giving up counts too: otherwise one could leave
/// again and again until the drawn order suits a recording.
public struct LockoutOptions: Equatable, Sendable {
  /// Failures that lock, 1 to 16; 0 never locks.
  public var failures = 5
  /// Within this time.
  public var window: Duration = .seconds(180)
  /// The first lock lasts so long, each one after it twice as long as the one before.
  public var first: Duration = .seconds(30)
  public var longest: Duration = .seconds(3_600)

  public init() {}
}

/// All that the liveness machine can be told to do differently.
public struct LivenessOptions: Equatable, Sendable {
  public var rules: GestureRules = .pose
  public var pose = PoseThresholds()
  public var blink = BlinkThresholds()
  public var book = BookRules()

  /// Blinking is left out: everybody does it about every three seconds, so it proves little.
  public var challenges = ChallengeList([
    .smile, .turnLeft, .turnRight, .mouthOpen, .headUp, .headDown,
  ])
  public var order: ChallengeOrder = .random
  /// Challenges a session, 1 to 8.
  public var count = 3

  /// An action that begins sooner after its prompt was not done because of it: 0 to 1 s.
  public var reactionTime: Duration = .milliseconds(200)
  /// An action must have begun so long after its prompt: 2 to 5 s.
  public var actionWindow: Duration = .seconds(5)
  /// How long, and for how many frames, an action is held.
  public var holdTime: Duration = .milliseconds(200)
  public var holdFrames = 3
  /// Frames in a row that make a neutral face.
  public var neutralFrames = 2
  /// Getting neutral, before the first prompt and after each action, may take so long.
  public var neutralWindow: Duration = .seconds(6)

  /// Nothing is asked for so long after a session that passed, or failed.
  public var pauseAfterLive: Duration = .seconds(3)
  public var pauseAfterFailure: Duration = .seconds(3)
  /// A face that passed and stays is asked again after this time.
  public var againAfter: Duration = .seconds(30)

  public var gates = GateOptions()
  public var greeting = GreetingOptions()
  public var spoof = SpoofOptions()
  public var lockout = LockoutOptions()

  public init() {}
}

// Only tests and tools list the cases: the array that does it lives on the heap.
#if !hasFeature(Embedded)
  extension GestureRules: CaseIterable {}
  extension ChallengeOrder: CaseIterable {}
#endif
