/// What the lights show.
public enum OutputState: Equatable, Sendable {
  case starting
  /// Nobody is there.
  case ready
  /// Somebody is there, and something must be put right before it can begin.
  case adjust
  /// A face is being looked at and nothing is asked for now.
  case face
  /// A challenge is asked for: its raw value, 0 to 8.
  case prompt(UInt8)
  case pass
  case fail
  case lockedOut
  case noCamera
  case fault
}

extension OutputState {
  /// One word for the state, as it goes from thread to thread.
  var code: UInt32 {
    switch self {
    case .starting: 0
    case .ready: 1
    case .adjust: 2
    case .face: 3
    case .pass: 4
    case .fail: 5
    case .lockedOut: 6
    case .noCamera: 7
    case .fault: 8
    case .prompt(let challenge): 256 + UInt32(challenge)
    }
  }

  /// The state of a code; a word that is none is a fault.
  init(code: UInt32) {
    switch code {
    case 0: self = .starting
    case 1: self = .ready
    case 2: self = .adjust
    case 3: self = .face
    case 4: self = .pass
    case 5: self = .fail
    case 6: self = .lockedOut
    case 7: self = .noCamera
    case 256..<512: self = .prompt(UInt8(truncatingIfNeeded: code))
    default: self = .fault
    }
  }
}
