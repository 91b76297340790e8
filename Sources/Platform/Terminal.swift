import CPlatform

extension FileDescriptor {
  /// Whether it is a terminal: a console or a serial line.
  public var isTerminal: Bool { isatty(raw) == 1 }

  /// Changes the settings of a terminal (termios(3)) from now on, for every program that has it
  /// open.
  /// - Throws: ENOTTY for what is no terminal, EINVAL for settings that it cannot have.
  public borrowing func changeTerminal(
    _ change: (inout termios) throws(Errno) -> Void
  ) throws(Errno) {
    var mode = termios()
    let fd = raw
    try plannedFault(.ioctl, descriptor: raw)
    _ = try checked { tcgetattr(fd, &mode) }
    try change(&mode)
    _ = try checked { tcsetattr(fd, TCSANOW, &mode) }
  }
}
