import Platform
import Testing

@testable import Board

@Suite struct StallTests {
  @Test func aStallIsToldOnceAndSoIsItsEnd() {
    var watch = StallWatch(limit: .milliseconds(2000), startLimit: .milliseconds(8000))
    #expect(watch.deadline == nil, "nothing is known before the first look")
    #expect(watch.look(7, at: at(0)) == nil)
    #expect(watch.look(8, at: at(100)) == nil)
    #expect(watch.deadline == at(2100))
    #expect(watch.look(8, at: at(2099)) == nil)
    #expect(!watch.isStalled)
    #expect(watch.look(8, at: at(2100)) == .stalled)
    #expect(watch.isStalled)
    #expect(watch.deadline == nil)
    #expect(watch.look(8, at: at(9000)) == nil)
    #expect(watch.look(9, at: at(9100)) == .resumed(after: .milliseconds(9000)))
    #expect(!watch.isStalled)
    #expect(watch.look(9, at: at(11_099)) == nil)
    #expect(watch.look(9, at: at(11_100)) == .stalled)
  }

  @Test func theStartHasALimitOfItsOwn() {
    var watch = StallWatch(limit: .milliseconds(2000), startLimit: .milliseconds(8000))
    #expect(watch.look(0, at: at(0)) == nil)
    #expect(watch.deadline == at(8000))
    #expect(watch.look(0, at: at(7999)) == nil)
    #expect(watch.look(0, at: at(8000)) == .stalled)
  }

  @Test func aCountThatWrapsRoundIsATurn() {
    var watch = StallWatch(limit: .milliseconds(2000), startLimit: .milliseconds(2000))
    var now: Int64 = 0
    for count in [UInt32.max - 1, .max, 0, 1] {
      #expect(watch.look(count, at: at(now)) == nil)
      now += 1999
    }
  }

  @Test func everyStateGoesFromThreadToThread() {
    let wanted = WantedOutputs()
    #expect(wanted.state == .starting)
    for state in PatternTests.states.dropFirst() + [.prompt(255), .starting] {
      let isNews = wanted.show(state)
      #expect(isNews)
      let isNewsAgain = wanted.show(state)
      #expect(!isNewsAgain)
      #expect(wanted.state == state)
    }
    for code in [UInt32(9), 255, 512, .max] { #expect(OutputState(code: code) == .fault) }
  }

  @Test func aWishToOpenIsTakenOnce() {
    let wanted = WantedOutputs()
    #expect(wanted.takeOpening() == nil)
    wanted.openDoor(seen: .zero)
    wanted.openDoor(seen: at(5))
    #expect(wanted.takeOpening() == at(5))
    #expect(wanted.takeOpening() == nil)
    #expect(wanted.isEnded == false)
    wanted.end()
    #expect(wanted.isEnded == true)
  }
}
