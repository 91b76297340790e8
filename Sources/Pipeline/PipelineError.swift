import Board
import Camera
import Faces
import FrameRing
import Inference
import Liveness
import Platform

/// Why the pipeline cannot start. Everything that can go wrong does so before `started` is logged.
public enum PipelineError: Error {
  /// A model file of the line-up.
  case model(FixedString<224>, ModelError)
  case faces(FacesError)
  case liveness(LivenessError)
  case board(BoardError)
  case camera(CameraError)
  case ring(FrameRingError)
  /// The memory plan does not fit what the settings allow; both in bytes.
  case budget(needed: Int, allowed: Int)
  /// A system call; what it was for.
  case system(StaticString, Errno)

  /// The exit code of a program that ends because of it (sysexits.h).
  public var exitStatus: Int32 {
    switch self {
    case .model(_, .file), .board(.unknownChip), .board(.unknownLine): 66
    case .model, .faces: 65
    case .camera(let error):
      switch error.fault {
      case .open, .notACamera, .noSuchName, .noFormat, .rawSensor: 66
      case .size, .malformed, .truncated, .unsupported: 65
      case .programMissing: 69
      case .call, .silent, .transfer, .programFailed: 74
      }
    case .liveness, .ring, .budget: 78
    case .board: 74
    case .system: 71
    }
  }

  /// Appends a sentence for a person.
  public func describe<let capacity: Int>(into text: inout FixedString<capacity>) {
    switch self {
    case .model(let path, let error):
      text.append(path)
      text.append(": ")
      text.append(error.message)
    case .faces(let error): text.append(error.message)
    case .liveness(let error):
      text.append("liveness.challenges: ")
      switch error {
      case .noChallenges: text.append("nothing may be asked")
      case .nothingToDrawFrom: text.append("a session of several needs at least two different ones")
      case .sameTwice(let index):
        text.append("the same challenge twice in a row, at place ")
        text.append(index + 1)
      }
    case .board(let error): error.describe(into: &text)
    case .camera(let error): error.describe(into: &text)
    case .ring(let error):
      text.append("ring: ")
      switch error {
      case .slotCount(let count):
        text.append(count)
        text.append(" slots; allowed: 2 to 16")
      case .slotBytes(let bytes):
        text.append(bytes)
        text.append(" bytes a slot; allowed: 1 to 1 GiB")
      case .memory(let needed, let given):
        text.append(needed)
        text.append(" bytes are needed, ")
        text.append(given)
        text.append(" are there")
      case .alignment: text.append("memory does not start at a page")
      }
    case .budget(let needed, let allowed):
      text.append("pipeline.memory_mib: the plan needs ")
      text.append((needed + (1 << 20) - 1) >> 20)
      text.append(" MiB, ")
      text.append(allowed >> 20)
      text.append(" are allowed")
    case .system(let what, let errno):
      text.append(what)
      text.append(": ")
      errno.describe(into: &text)
    }
  }
}
