/**
 * What a running call sends back ahead of its result: progress, strictly increasing, and parts. After the result,
 * nothing.
 */
import * as Content from "@mcp-effect/protocol/Content"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Progress } from "@mcp-effect/protocol/Progress"
import * as Effect from "effect/Effect"
import type { Call } from "../Call.ts"

/** Each member takes effect when it is called; the effect it returns waits for the message to be taken. */
export interface Reporter {
  readonly progress: (progress: Progress) => Effect.Effect<void>
  readonly part: (content: Content.Content) => Effect.Effect<void>
  /** Sends anything else ahead of the result. */
  readonly send: (method: string, params: JsonRpc.Params) => Effect.Effect<void>
  readonly close: () => void
}

export const make = ({ back, input, part, request, revision }: Call): Reporter => {
  const progressToken = Meta.progressToken(request.params)
  let last = Number.NEGATIVE_INFINITY
  let open = true
  let reported = false
  let index = 0

  const stale = (): boolean => !open

  const send: Reporter["send"] = (method, params) =>
    // A connection that is lost interrupts the call anyway; there is nobody left to tell.
    open
      ? Effect.catch(back.notify({ _tag: "Notification", method, params, stale }), () => Effect.void)
      : Effect.void

  const increase = ({ message, progress, total }: Progress): Effect.Effect<void> => {
    // Without a token there is nothing that a notification could be tied to.
    if (progressToken === undefined || !open || !Number.isFinite(progress) || progress <= last) return Effect.void
    last = progress
    // A total that JSON cannot say is not known.
    const known = total !== undefined && Number.isFinite(total) ? { total } : {}
    return send(
      "notifications/progress",
      revision.wire.progressMessage
        ? { progressToken, progress, ...known, message }
        : { progressToken, progress, ...known }
    )
  }
  return {
    send,
    close: () => {
      open = false
    },
    progress: (progress) => {
      reported = true
      return increase(progress)
    },
    part: (content) => {
      if (progressToken === undefined) return Effect.void
      index++
      if (part === undefined) return reported ? Effect.void : increase({ progress: index })
      if (!input.isNew(index - 1)) return Effect.void
      const sent = part(Content.toWire(content, revision.wire), index - 1, progressToken)
      return sent === undefined ? Effect.void : send(sent.method, sent.params ?? {})
    }
  }
}
