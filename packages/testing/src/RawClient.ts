/**
 * A client in raw messages, for tests of what a server puts on the wire: over any `ClientTransport`, in one revision, with
 * scripted answers to whatever the server asks.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import type { Connection, Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

type Params = JsonRpc.Params

/**
 * The key in the `_meta` of a request that is meant to fail: what checks messages may pass over it.
 *
 * @since 0.1.0
 * @category constants
 */
export const DELIBERATE = "io.github.mcp-effect/deliberate"

/**
 * What the client answers to a request of the server, by its method: a result, or an error.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answers {
  readonly [method: string]: (params: Params) => Effect.Effect<Params, JsonRpc.ErrorObject>
}

/**
 * - `tied`: what came back to a request; `heard`: what came by itself. Where the two share a channel, what cannot be tied
 *   to a request is heard.
 * - `asked`: the requests of the server so far, whichever way they came.
 * - `declared`: the capabilities of the server, as its era tells them.
 * - `request`: the response as it is, to a request whose id is `raw-0`, `raw-1`, and so on; `result` and `error` fail the test with the other kind.
 * - `call`: a result, after all rounds that the server wants.
 *
 * @since 0.1.0
 * @category models
 */
export interface RawClient {
  readonly connection: Connection
  readonly revision: Revision.Revision
  readonly declared: Effect.Effect<Params, TransportError>
  readonly tied: Queue.Dequeue<JsonRpc.Notification>
  readonly heard: Queue.Dequeue<JsonRpc.Notification>
  readonly asked: Array<{ readonly method: string; readonly params: Params }>
  readonly request: (method: string, params?: Params) => Effect.Effect<JsonRpc.Response, TransportError>
  readonly result: (method: string, params?: Params) => Effect.Effect<Params, TransportError>
  readonly error: (method: string, params?: Params) => Effect.Effect<JsonRpc.ErrorObject, TransportError>
  readonly call: (method: string, params?: Params) => Effect.Effect<Params, TransportError>
}

/**
 * Connects, and shakes hands if the revision has a handshake.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (
  revision: Revision.Name,
  options: { readonly capabilities?: Params; readonly answers?: Answers; readonly meta?: Params } = {}
): Effect.Effect<RawClient, TransportError, ClientTransport | Scope.Scope> =>
  Effect.gen(function*() {
    const { answers = {}, capabilities = {}, meta = {} } = options
    const spoken = Revisions.get(revision)
    if (spoken === undefined) return yield* Effect.die(new TypeError(`There is no revision ${revision}`))
    const stateless = spoken.era === "stateless"
    const tied = yield* Queue.unbounded<JsonRpc.Notification>()
    const heard = yield* Queue.unbounded<JsonRpc.Notification>()
    const asked: RawClient["asked"] = []
    const answer = (method: string, params: Params): Effect.Effect<Params, JsonRpc.ErrorObject> => {
      asked.push({ method, params })
      return answers[method]?.(params) ?? Effect.fail(notFound(method))
    }
    const peer = (queue: Queue.Queue<JsonRpc.Notification>): Peer => ({
      request: ({ id, method, params }) =>
        Effect.match(answer(method, params ?? {}), {
          onFailure: (error) => JsonRpc.failure(id, error),
          onSuccess: (result) => JsonRpc.success(id, result)
        }),
      notify: (notification) => Effect.asVoid(Queue.offer(queue, notification))
    })
    const transport = yield* ClientTransport
    const connection = yield* transport.connect(peer(heard))
    let id = 0
    const own = stateless
      ? {
        [Meta.PROTOCOL_VERSION]: revision,
        [Meta.CLIENT_CAPABILITIES]: capabilities,
        [Meta.CLIENT_INFO]: info,
        ...meta
      }
      : meta
    const request: RawClient["request"] = (method, params) => {
      const all = { ...own, ...Meta.of(params) }
      const sent = Object.keys(all).length === 0 ? params : { ...params, _meta: all }
      return Effect.suspend(() => connection.request(JsonRpc.request(`raw-${id++}`, method, sent), peer(tied)))
    }
    const { error, result } = outcomes(request)
    const call: RawClient["call"] = (method, params) =>
      Effect.flatMap(result(method, params), (value) =>
        value.resultType === "input_required"
          ? Effect.flatMap(respond(value, answer), (more) => call(method, { ...params, ...more }))
          : Effect.succeed(value))
    let declared = Effect.map(Effect.suspend(() => result("server/discover")), capabilitiesOf)
    if (!stateless) {
      const initialized = yield* result("initialize", { protocolVersion: revision, capabilities, clientInfo: info })
      declared = Effect.succeed(capabilitiesOf(initialized))
      yield* connection.notify(JsonRpc.notification("notifications/initialized"))
    }
    return { connection, revision: spoken, declared, tied, heard, asked, request, result, error, call }
  })

const info = { name: "raw", version: "1.0.0" }

const capabilitiesOf = ({ capabilities }: Params): Params => Predicate.isObject(capabilities) ? capabilities : {}

const notFound = (method: string): JsonRpc.ErrorObject => ({
  code: JsonRpc.METHOD_NOT_FOUND,
  message: `Method not found: ${method}`
})

const outcomes = (request: RawClient["request"]): Pick<RawClient, "result" | "error"> => ({
  result: (method, params) =>
    Effect.flatMap(
      request(method, params),
      (response) => response._tag === "Success" ? Effect.succeed(response.result) : unexpected(method, response.error)
    ),
  error: (method, params) =>
    Effect.flatMap(
      request(method, Meta.assign(params, { [DELIBERATE]: true })),
      (response) => response._tag === "Failure" ? Effect.succeed(response.error) : unexpected(method, response.result)
    )
})

const unexpected = (method: string, what: unknown): Effect.Effect<never> =>
  Effect.die(new Error(`${method} was answered with ${JSON.stringify(what)}`))

// One more round: the answers to what was asked, with the state as it came.
const respond = (
  { inputRequests, requestState }: Params,
  answer: (method: string, params: Params) => Effect.Effect<Params, JsonRpc.ErrorObject>
): Effect.Effect<Params> =>
  Effect.gen(function*() {
    const inputResponses: Record<string, Params> = {}
    for (const [key, question] of Object.entries(Predicate.isObject(inputRequests) ? inputRequests : {})) {
      const { method, params } = question as { readonly method: string; readonly params?: Params }
      inputResponses[key] = yield* Effect.catch(
        answer(method, params ?? {}),
        (error) => Effect.die(new Error(`The client does not answer ${method}: ${error.message}`))
      )
    }
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) }
  })
