/** What a session is told of by itself: the changes of what it was offered, and of what it has subscribed to. */
import * as Limits from "@mcp-effect/protocol/Limits"
import type { Peer } from "@mcp-effect/protocol/Peer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Announcer from "./announcer.ts"
import * as Listens from "./listens.ts"
import type { ServerInfo } from "./serverInfo.ts"
import type { StatefulEra } from "./stateful.ts"

/** Begins when it is called, in this context, and ends when what it returns is. */
export const announce = (
  server: ServerInfo,
  stateful: StatefulEra,
  back: Peer,
  context: Context.Context<never>
): () => void => {
  let announcer: Announcer.Announcer | undefined
  const stop = server.changes.observe((change) => {
    const ready = stateful.ready()
    if (ready === undefined) return
    const interest = Listens.any(ready.features.map(({ announces }) => announces(ready.state)))
    // Made for the first change: most sessions hear of none.
    if (interest.matches(change)) (announcer ??= make(stateful, back, context)).push(change, interest)
  })
  return () => {
    stop()
    announcer?.end()
  }
}

const make = (stateful: StatefulEra, back: Peer, context: Context.Context<never>): Announcer.Announcer => {
  const { inFlight: bound } = Context.get(context, Limits.Limits)
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
