/**
 * What a running call sends back ahead of its result: progress, strictly increasing, and parts. After the result,
 * nothing.
 */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as Content from "@mcp-effect/protocol/Content"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Progress } from "@mcp-effect/protocol/Progress"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import * as Effect from "effect/Effect"
import type { Call } from "../Call.ts"

/** Each member takes effect when it is called; the effect it returns waits for the message to be taken. */
export interface Reporter {
  readonly progress: (progress: Progress) => Effect.Effect<void>
  readonly part: (content: Content.Content) => Effect.Effect<void>
  readonly close: () => void
}

export const silent: Reporter = { progress: () => Effect.void, part: () => Effect.void, close: () => {} }

export const make = ({ back, client, request, revision }: Call): Reporter => {
  const progressToken = Meta.progressToken(request.params)
  // Without a token there is nothing that a notification could be tied to.
  if (progressToken === undefined) return silent
  const streams = Capabilities.hasExtension(client.capabilities, StreamingTools.ID)
  let last = Number.NEGATIVE_INFINITY
  let open = true
  let reported = false
  let index = 0

  const stale = (): boolean => !open

  const send = (method: string, params: JsonRpc.Params): Effect.Effect<void> =>
    // A connection that is lost interrupts the call anyway; there is nobody left to tell.
    Effect.catch(back.notify({ _tag: "Notification", method, params, stale }), () => Effect.void)

  const increase = ({ message, progress, total }: Progress): Effect.Effect<void> => {
    if (!open || !Number.isFinite(progress) || progress <= last) return Effect.void
    last = progress
    return send(
      "notifications/progress",
      revision.wire.progressMessage ? { progressToken, progress, total, message } : { progressToken, progress, total }
    )
  }
  return {
    close: () => {
      open = false
    },
    progress: (progress) => {
      reported = true
      return increase(progress)
    },
    part: (content) => {
      if (!open) return Effect.void
      index++
      if (!streams) return reported ? Effect.void : increase({ progress: index })
      const written = Content.toWire(content, revision.wire)
      return send(StreamingTools.METHOD, { progressToken, index: index - 1, content: written })
    }
  }
}
