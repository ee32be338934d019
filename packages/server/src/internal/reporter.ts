/**
 * What a running call sends back ahead of its result: progress, strictly increasing, and parts, which are counted as
 * progress where nothing carries them and the handler reports none. After the result, nothing.
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
  let index = 0
  /** The count of parts that was sent as progress. */
  let counted = 0
  /** What is added to the handler's own progress, once there is some. */
  let shift: number | undefined

  const stale = (): boolean => !open

  const send: Reporter["send"] = (method, params) =>
    // A connection that is lost interrupts the call anyway; there is nobody left to tell.
    open
      ? Effect.catch(back.notify({ _tag: "Notification", method, params, stale }), () => Effect.void)
      : Effect.void

  const increase = (progress: number, total?: number, message?: string): Effect.Effect<void> => {
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
    progress: ({ message, progress, total }) => {
      if (!Number.isFinite(progress)) return Effect.void
      // Its reports go on where the count has ended, so that none of them is lost.
      shift ??= counted === 0 || progress > 0 ? counted : counted + 1 - progress
      return increase(progress + shift, total === undefined ? undefined : total + shift, message)
    },
    part: (content) => {
      if (progressToken === undefined) return Effect.void
      index++
      if (part === undefined) {
        // The first waits for what comes next: that may be progress of the handler's own, which is worth more.
        if (shift !== undefined || index === 1) return Effect.void
        return increase(counted = index)
      }
      if (!input.isNew(index - 1)) return Effect.void
      const sent = part(Content.toWire(content, revision.wire), index - 1, progressToken)
      return sent === undefined ? Effect.void : send(sent.method, sent.params ?? {})
    }
  }
}
