/** Which connection a request goes out on: the one that is there, the next, and once more if that is lost and it may. */
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Ready, Send, TiedOptions } from "../Requests.ts"
import type { Link } from "./link.ts"

type Params = Parameters<Send>[1]

export const make = (
  link: Link,
  timeout: number,
  send: (ready: Ready, method: string, params: Params, given: TiedOptions) => ReturnType<Send>
): Send => {
  // For a connection, as long as a request waits for its reply.
  const waited = <A>(next: Effect.Effect<A, McpError.McpError>, given: TiedOptions) => {
    const millis = given.timeout === undefined ? timeout : Duration.toMillis(given.timeout)
    const message = `There was no connection to the server within ${millis} ms`
    return Effect.timeoutOrElse(next, {
      duration: millis > 0 ? millis : 0,
      orElse: () => Effect.fail(new McpError.ConnectionClosed({ processed: "no", message }))
    })
  }

  const over = (ready: Ready, method: string, params: Params, given: TiedOptions): ReturnType<Send> =>
    Effect.catch(send(ready, method, params, given), (error) => {
      if (error._tag !== "ConnectionClosed" || !maySendAgain(error, method, given)) return Effect.fail(error)
      const next = Effect.catch(link.after(ready), () => Effect.undefined)
      return Effect.flatMap(
        waited(next, given),
        (next) => next === undefined ? Effect.fail(error) : send(next, method, params, given)
      )
    })

  return (method, params, given = {}) =>
    Effect.suspend(() => {
      const ready = link.current()
      return ready === undefined
        ? Effect.flatMap(waited(link.forCalls, given), (ready) => over(ready, method, params, given))
        : over(ready, method, params, given)
    })
}

// What reads, and what sets the same thing again.
const SAFE = /\/(?:list|read|get|complete|setLevel|subscribe|unsubscribe)$|^ping$|^server\/discover$/u

const maySendAgain = (error: McpError.ConnectionClosed, method: string, given: TiedOptions): boolean =>
  error.processed === "no" ||
  // What was told of the first try would be told again.
  (given.onNotification === undefined && (given.idempotent ?? SAFE.test(method)))
