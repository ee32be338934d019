/** Which revisions the server behind a proxy speaks: asked once, by the first connection that needs to know. */
import type { Implementation } from "@mcp-effect/protocol/Implementation"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { closed, type Peer, type TransportError } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** The revisions of each era; at least one of them has some. */
export interface Spoken {
  readonly stateful: ReadonlyArray<Revision.Name>
  readonly stateless: ReadonlyArray<Revision.Name>
}

const DISCOVER = "server/discover"

/** Asks over the connection that is there. A server that does not know the question is one of before. */
export const ask = (
  peer: Peer,
  info: Implementation,
  timeout: Duration.Input
): Effect.Effect<Spoken, TransportError> => {
  const [newest] = Revisions.ofEra(Revisions.all, "stateless")
  const request = JsonRpc.request(DISCOVER, DISCOVER, {
    _meta: {
      [Meta.PROTOCOL_VERSION]: newest?.name,
      [Meta.CLIENT_INFO]: info,
      [Meta.CLIENT_CAPABILITIES]: {}
    }
  })
  return peer.request(request, closed).pipe(
    Effect.map((response) => {
      const said = response._tag === "Success" ? response.result.supportedVersions : supportedBy(response.error.data)
      return Array.isArray(said) ? of(said) : before
    }),
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(before) }),
    // It may have ended for it: the next message opens another connection.
    Effect.catch((error) => error.reason === "refused" ? Effect.fail(error) : Effect.succeed(before))
  )
}

const supportedBy = (data: unknown): unknown => Predicate.isObject(data) ? data.supported : undefined

const namesOf = (era: Revision.Era) => Revisions.ofEra(Revisions.all, era).map(({ name }) => name)

const before: Spoken = { stateful: namesOf("stateful"), stateless: [] }

const of = (supported: ReadonlyArray<unknown>): Spoken => ({
  stateful: namesOf("stateful").filter((name) => supported.includes(name)),
  stateless: namesOf("stateless").filter((name) => supported.includes(name))
})
