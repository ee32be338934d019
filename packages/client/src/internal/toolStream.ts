/** A call as a stream: what is tied to it, as it comes, then its output. */
import { Content } from "@mcp-effect/protocol/Content"
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Stream from "effect/Stream"
import * as Requests from "../Requests.ts"

const BUFFER = 64

export const make = <A, E>(
  call: (onNotification: (notification: Notification) => Effect.Effect<void>) => Effect.Effect<A, E>
): Stream.Stream<Tool.Event<A>, E> =>
  Stream.callback<Tool.Event<A>, E>((queue) => {
    let next = 0
    const each = (notification: Notification): Effect.Effect<void> =>
      Effect.matchEffect(read(notification, next), {
        onFailure: (problem) => Effect.logWarning(`Dropped ${notification.method}: ${problem}`),
        onSuccess: (event) => {
          if (event._tag === "Part") next += event.missed + 1
          // Suspends while the consumer is behind; the connection then collapses what follows.
          return Queue.offer(queue, event)
        }
      })
    return Effect.matchCauseEffect(call(each), {
      onFailure: (cause) => Queue.failCause(queue, cause),
      onSuccess: (value) => Effect.andThen(Queue.offer(queue, Tool.output(value)), Queue.end(queue))
    })
  }, { bufferSize: BUFFER, strategy: "suspend" })

const Part = Schema.Struct({ index: Schema.Int, content: Content })

const decodePart = SchemaParser.decodeUnknownEffect(Part)

const read = (notification: Notification, next: number): Effect.Effect<Tool.ProgressEvent | Tool.PartEvent, string> => {
  if (notification.method === StreamingTools.METHOD) {
    return Effect.mapBoth(decodePart(notification.params), {
      onFailure: Problem.describe,
      onSuccess: ({ content, index }) => ({ ...Tool.part(content), missed: Math.max(0, index - next) })
    })
  }
  const progress = Requests.progressOf(notification)
  return progress === undefined ? Effect.fail("it reports no number") : Effect.succeed(Tool.progress(progress))
}
