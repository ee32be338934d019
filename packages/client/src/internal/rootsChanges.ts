/** Tells the server that the roots have changed, where its revision has a message for that. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Roots } from "../Roots.ts"
import type { Link } from "./link.ts"

const CHANGED = "notifications/roots/list_changed"

export const tell = (link: Link): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const roots = Option.getOrUndefined(yield* Effect.serviceOption(Roots))
    if (roots === undefined) return
    const told = Stream.runForEach(roots.changes, () => {
      const ready = link.current()
      // Who connects later asks for them anyway.
      return ready?.era.server.revision.methods.serverNotifications.has(CHANGED) === true
        ? Effect.ignore(ready.connection.notify(JsonRpc.notification(CHANGED)))
        : Effect.void
    })
    yield* Effect.forkScoped(told)
  })
