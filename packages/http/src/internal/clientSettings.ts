/** What a client is told about its server, as far as it can be used. */
import { TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"

const refused = (message: string): TransportError => new TransportError({ reason: "refused", processed: "no", message })

export const urlOf = (given: string | URL): Effect.Effect<URL, TransportError> => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    return Effect.fail(refused("The URL of the server must begin with http:// or https://"))
  }
  return url.username === "" && url.password === ""
    ? Effect.succeed(url)
    : Effect.fail(refused("The URL of the server must hold no credentials: give them as a header"))
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/u
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u

// Names only: what is wrong with a value may be part of a secret.
export const headersOf = (given: Headers.Input | undefined): Effect.Effect<Headers.Headers, TransportError> => {
  const headers = Headers.fromInput(given)
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) return Effect.fail(refused(`${JSON.stringify(name)} cannot be the name of a header`))
    if (!VALUE.test(value)) return Effect.fail(refused(`The header ${name} has a value that HTTP cannot carry`))
  }
  return Effect.succeed(headers)
}
