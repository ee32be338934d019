/** What extensions do with a notification. */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import type { Extensions } from "./extensions.ts"

/** `undefined`: none of them handles it. */
export const handle = (
  { notifications }: Extensions,
  { method, params = {} }: Notification
): Effect.Effect<void> | undefined => {
  const handler = notifications.get(method)
  return handler && Effect.catchCause(
    Effect.suspend(() => handler(params)),
    (cause) => Effect.logError(`The handler of ${method} failed`, cause)
  )
}
