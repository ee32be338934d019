/** What a session is told of by itself: the changes of what it was offered, and of what it has subscribed to. */
import * as Limits from "@mcp-effect/protocol/Limits"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Announcer from "./announcer.ts"
import * as Listens from "./listens.ts"
import type { ServerInfo } from "./serverInfo.ts"
import type { StatefulEra } from "./stateful.ts"

export const announce = (
  server: ServerInfo,
  stateful: StatefulEra,
  back: Peer
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { inFlight: bound } = yield* Limits.Limits
    const context = yield* Effect.context<never>()
    let announcer: Announcer.Announcer | undefined
    // Made for the first change: most sessions hear of none.
    const make = (): Announcer.Announcer => {
      const run = Effect.runForkWith(context)
      const announcer = Announcer.make({
        run,
        back,
        bound,
        write: ({ params }) => params,
        ready: () => stateful.ready() !== undefined,
        missed: () => void run(Effect.logWarning(`Changes were not told: ${bound} were waiting for the client`)),
        lost: () => {}
      })
      announcer.start()
      return announcer
    }
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        server.changes.observe((change) => {
          const ready = stateful.ready()
          if (ready === undefined) return
          const interest = Listens.any(ready.features.map(({ announces }) => announces(ready.state)))
          if (interest.matches(change)) (announcer ??= make()).push(change, interest)
        })
      ),
      (stop) =>
        Effect.sync(() => {
          stop()
          announcer?.end()
        })
    )
  })
