import CPlatform

extension FileDescriptor {
  /// The next read or write begins at `offset` bytes from the start.
  public borrowing func seek(to offset: Int) throws(Errno) {
    let fd = raw
    _ = try checkedCount { lseek(fd, offset, SEEK_SET) }
  }

  /// Goes to the end; answers the size in bytes, of a file or a block device. Throws ESPIPE for
  /// what has no places, such as a pipe.
  public borrowing func seekToEnd() throws(Errno) -> Int {
    let fd = raw
    return try checkedCount { lseek(fd, 0, SEEK_END) }
  }
}
