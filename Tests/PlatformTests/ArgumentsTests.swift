import Platform
import Testing

@Suite struct ArgumentsTests {
  @Test func wordsAreThoseOfTheCommandLine() throws {
    let words = CommandLine.arguments.dropFirst()
    #expect(Arguments.count == words.count)
    for (index, word) in words.enumerated() {
      let found = try #require(Arguments.word(index))
      #expect(String(cString: found) == word)
    }
  }

  @Test func thereIsNoWordOutsideOfThem() {
    #expect(Arguments.word(-1) == nil)
    #expect(Arguments.word(Arguments.count) == nil)
    #expect(!Arguments.word(Arguments.count, is: ""))
  }

  @Test(.enabled(if: CommandLine.arguments.count > 1, "the test runner was given no word"))
  func aWordIsComparedWhole() {
    #expect(!Arguments.word(0, is: ""))
    #expect(!Arguments.word(0, is: "a word that no test runner is given"))
  }
}
