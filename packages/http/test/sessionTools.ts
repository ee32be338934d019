/** Tools for tests of sessions. */
import { Elicitation, Tool } from "@mcp-effect/protocol"
import { ClientInput, McpServer, RequestContext } from "@mcp-effect/server"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

export const now = McpServer.tool(Tool.make("now"), () => Effect.succeed("now"))

/** Who calls, at the start of a call and at its end. */
export const whoami = McpServer.tool(
  Tool.make("whoami"),
  () => Effect.map(RequestContext.current, ({ principal }) => principal?.subject ?? "nobody")
)

/**
 * A tool that reports progress 1, waits until it is released, reports progress 2, and says who called it; and what became
 * of its calls.
 */
export const held = () => {
  const seen = { started: 0, interrupted: 0, ended: 0 }
  const gate = Deferred.makeUnsafe<void>()
  const who = Effect.map(RequestContext.current, ({ principal }) => Tool.part(principal?.subject ?? "nobody"))
  const waits = Effect.sync(() => seen.started++).pipe(
    Effect.andThen(Deferred.await(gate)),
    Effect.onInterrupt(() => Effect.sync(() => seen.interrupted++)),
    Effect.as(Tool.progress({ progress: 2 }))
  )
  const tool = McpServer.tool(Tool.make("held"), () =>
    Stream.make(Tool.progress({ progress: 1 })).pipe(
      Stream.concat(Stream.fromEffect(waits)),
      Stream.concat(Stream.fromEffect(who)),
      Stream.ensuring(Effect.sync(() => seen.ended++))
    ))
  return { tool, seen, release: Deferred.succeed(gate, undefined) }
}

/** A tool that keeps something in the scope of the session. */
export const keeping = () => {
  const seen = { kept: 0, closed: 0 }
  const tool = McpServer.tool(
    Tool.make("keep"),
    () =>
      Effect.gen(function*() {
        const { sessionScope } = yield* RequestContext.current
        if (sessionScope === undefined) return "nowhere"
        seen.kept++
        yield* Scope.addFinalizer(sessionScope, Effect.sync(() => seen.closed++))
        return "kept"
      })
  )
  return { tool, seen }
}

/** Asks the user for a word. */
export const ask = ClientInput.elicit(Elicitation.form({ message: "Say it", fields: { it: Schema.String } })).pipe(
  Effect.map((answer) => answer._tag === "Accept" ? answer.content.it : answer._tag),
  Effect.catch((error) => Effect.succeed(`no answer: ${error.message}`))
)

export const asking = McpServer.tool(Tool.make("ask"), () => ask)

/** A tool that, once it is released, says `count` messages of a thousand characters each; and how many of them were said. */
export const flooding = (count: number) => {
  const seen = { said: 0 }
  const gate = Deferred.makeUnsafe<void>()
  const tool = McpServer.tool(Tool.make("flood"), () =>
    Stream.range(1, count).pipe(
      Stream.rechunk(1),
      Stream.map((progress) => {
        seen.said = progress
        return Tool.progress({ progress, message: "x".repeat(1000) })
      }),
      Stream.onStart(Deferred.await(gate)),
      Stream.concat(Stream.make(Tool.part("done")))
    ))
  return { tool, seen, release: Deferred.succeed(gate, undefined) }
}

export const accept = (id: unknown, it: string) => ({
  jsonrpc: "2.0",
  id,
  result: { action: "accept", content: { it } }
})

/** The scope of the session of the request that is being handled. */
export const sessionScope = Effect.flatMap(
  RequestContext.current,
  ({ sessionScope }) =>
    sessionScope === undefined ? Effect.die(new Error("There is no session")) : Effect.succeed(sessionScope)
)

export const notified = (method: string, effect: Effect.Effect<void>) => McpServer.notification(method, () => effect)
