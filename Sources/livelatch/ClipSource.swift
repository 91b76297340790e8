import Camera
import Pipeline
import Platform
import SerialLog
import Settings

/// Where the frames of replay and annotate come from.
enum ClipSource: ~Copyable {
  case y4m(Y4MReader)

  init(_ path: String, pictureSeconds: Int) throws {
    self = .y4m(try Y4MReader(path: fixedString(path)))
  }

  /// How many frames there are; nil where only the end will tell.
  var frameCount: Int? { nil }

  consuming func replay<Observer: PipelineObserver>(
    _ settings: Settings, seed: UInt64?, realtime: Bool, log: Log, observer: Observer
  ) throws -> (Observer, ToolError?) {
    switch consume self {
    case .y4m(let reader):
      let run = PipelineRun(
        clock: realtime ? .live : .clip, format: reader.format, seed: seed, isSimulated: true)
      let path = reader.path
      return (
        try runPipeline(
          settings, feed: .clip(reader), source: path, run: run, log: log, observer: observer), nil
      )
    }
  }
}
