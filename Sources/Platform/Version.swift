/// The version of livelatch, the same for every program of the package (semver.org).
public let programVersion: StaticString = "0.1.0"
