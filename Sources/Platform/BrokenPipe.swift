import CPlatform

/// What happens to the process when it writes to a pipe that nobody reads any more.
public enum BrokenPipe {
  /// From now on the write answers EPIPE: for a program that has to go on, with a relay to release.
  public static func failsTheWrite() { platform_ignore_sigpipe() }

  /// From now on the process ends, quietly, as commands in a pipeline do (`… | head`).
  public static func endsTheProcess() { platform_obey_sigpipe() }
}
