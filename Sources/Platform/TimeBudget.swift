/// How long each part may keep the others waiting: the one place that all time-outs come from.
///
///     a turn of the pipeline        at most `frameWait`, and the time of a frame
///     no turn for `stall`           the outputs go to their levels for a fault; `start` at first
///
/// Each is longer than what it looks after, with room for a slow board.
public enum TimeBudget {
  /// The pipeline waits so long for a frame before it turns without one.
  public static let frameWait = Duration.milliseconds(50)
  /// A pipeline that has not turned for so long stalls. The slowest frame on the slowest board takes
  /// a fifth of it, and a card that is slow to take the lock-out's record rarely as long. A verdict
  /// on a frame older than this opens nothing any more.
  public static let stall = Duration.seconds(2)
  /// Before the first turn, while memory is locked and the camera is opened: so long.
  public static let start = Duration.seconds(8)
  /// The thread that takes frames waits so long for one before it looks whether it is to stop.
  public static let cameraLook = Duration.milliseconds(250)
  /// No frame for so long: the camera's stream is started again, then the camera opened again. A
  /// camera may take two seconds to set its exposure before the first frame. The program's start
  /// waits as long for that frame, and does without it then.
  public static let cameraSilence = Duration.seconds(3)
  /// How long a program that ends waits for its log.
  public static let lastWords = Duration.seconds(1)
}
