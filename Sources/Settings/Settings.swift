import Board
import Camera
import Faces
import Liveness
import Platform
import SerialLog

/// The texts of the greeting.
public struct GreetingTexts: Equatable, Sendable {
  /// For a man.
  public var man = FixedString<64>("先生你好")
  /// For a woman.
  public var woman = FixedString<64>("女士你好")
  /// When it is not sure.
  public var neutral = FixedString<64>("你好")

  public init() {}

  /// What to say for a greeting.
  public func text(of greeting: Greeting) -> FixedString<64> {
    switch greeting {
    case .man: man
    case .woman: woman
    case .neutral: neutral
    }
  }
}

/// How the stages run.
public struct PipelineOptions: Equatable, Sendable {
  /// Frames that the ring holds, 3 to 16.
  public var slots = 4
  /// Bytes that the memory plan may have, all in all.
  public var memory = 16 << 20
  /// Whether the memory is kept from being paged out.
  public var locksMemory = true
  /// From one heartbeat in the log to the next; zero: none.
  public var heartbeat = Duration.seconds(10)

  public init() {}
}

/// All that `livelatch.toml` says. Every value is within its range, and they fit together.
public struct Settings: Equatable, Sendable {
  /// Bytes of the longest file that is read.
  public static let mostBytes = 64 << 10

  /// `[camera]`
  public var camera = CameraOptions()
  /// `[detector]` and `[faces]`
  public var faces = FaceOptions()
  /// `[liveness]` and all below it, `[lockout]` but for its file, `[greeting]` but for its texts
  public var liveness = LivenessOptions()
  /// The texts of `[greeting]`
  public var greetings = GreetingTexts()
  /// Where the lock-out is kept over a restart; empty: nowhere.
  public var lockoutFile = FixedString<128>("/var/lib/livelatch/lockout")
  /// `[board]`, `[relay]` and the lines of `[led]`
  public var board = BoardOptions()
  /// `[log]`
  public var log = LogOptions()
  /// `[pipeline]`
  public var pipeline = PipelineOptions()
  /// The folder of the `.llm` files. ``load(_:)`` makes it relative to the settings' own folder.
  public var models = FixedString<192>("models")
  /// FNV-1a, 64 bits, of the file: tells in the log which settings ran. 0: no file.
  public var fingerprint: UInt64 = 0

  public init() {}

  /// As an empty file would have it.
  public static var defaults: Settings { Settings() }
}
