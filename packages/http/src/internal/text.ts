/** The JSON texts of messages, where a value of the program's may be none. */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import type { Wire } from "./exchange.ts"

/** A reply always has a text: that of an error, if nothing else. */
export const ofResponse = (run: Wire["run"], response: JsonRpc.Response): string => {
  try {
    return JsonRpc.encode(response)
  } catch (cause) {
    run(Effect.logError("A result could not be written as JSON", cause))
    return JsonRpc.encode(JsonRpc.failure(response.id, { code: JsonRpc.INTERNAL_ERROR, message: "Internal error" }))
  }
}

/** Goes on with the text of a notification, if it has one. */
export const withNotification = <A>(
  notification: JsonRpc.Notification,
  use: (text: string, stale?: () => boolean) => Effect.Effect<A, TransportError>
): Effect.Effect<A, TransportError> =>
  Effect.suspend(() => {
    let text: string
    try {
      text = JsonRpc.encode(notification)
    } catch (cause) {
      const message = `The parameters of ${notification.method} cannot be written as JSON`
      return Effect.fail(new TransportError({ reason: "refused", processed: "no", message, cause }))
    }
    return use(text, notification.stale)
  })

export const ofNotification = (notification: JsonRpc.Notification): Effect.Effect<string, TransportError> =>
  withNotification(notification, (text) => Effect.succeed(text))
