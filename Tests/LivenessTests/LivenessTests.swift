import Liveness
import Testing

@Suite struct SessionTests {
  @Test func passesWhenEverythingIsDone() throws {
    let simulation = try Simulation()
    simulation.respond = { simulation, event in
      guard case .prompt(let challenge, _) = event else { return }
      simulation.act(after: 400, for: 600) { $0.perform(challenge) }
    }
    simulation.run(5_000)
    #expect(simulation.events.contains(.verdictLive(track: 1)))
  }
}
