/**
 * What a client must know of a server's tools to write the headers of a call: which parameters they repeat. It is read from the
 * lists that pass by; whoever asked for them gets no tool whose headers could not be written.
 *
 * Source: `basic/transports/streamable-http#custom-headers-from-tool-parameters` of revision 2026-07-28.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Meta from "@mcp-effect/protocol/Meta"
import { closed, type Peer } from "@mcp-effect/protocol/Peer"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as RoutingHeaders from "../RoutingHeaders.ts"

const LIST = "tools/list"
const CALL = "tools/call"

// Those that were listed last are remembered.
const MOST = 10_000

// Of a list that is read again for one call.
const PAGES = 100

type Parameters = ReadonlyArray<RoutingHeaders.Parameter>

const none: Parameters = []

export class ListedTools {
  private readonly known = new Map<string, Parameters>()

  /** The parameters that the headers of a request repeat. */
  of({ method, params }: JsonRpc.Request): Parameters {
    const name = params?.name
    return method === CALL && Predicate.isString(name) ? this.known.get(name) ?? none : none
  }

  /** Sends a request of the stateless era, and once more when its headers were wrong and better ones are known. */
  readonly around = (send: Peer["request"]): Peer["request"] => (request, back) => {
    switch (request.method) {
      case LIST:
        return Effect.flatMap(send(request, back), (response) => this.learn(response))
      case CALL:
        return Effect.flatMap(
          send(request, back),
          (response) =>
            response._tag === "Failure" && response.error.code === RoutingHeaders.HEADER_MISMATCH
              ? this.again(send, request, back, response)
              : Effect.succeed(response)
        )
      default:
        return send(request, back)
    }
  }

  private again(
    send: Peer["request"],
    request: JsonRpc.Request,
    back: Peer,
    response: JsonRpc.Response
  ): ReturnType<Peer["request"]> {
    const before = JSON.stringify(this.of(request))
    return Effect.flatMap(
      this.list(send, request, undefined, 0),
      () => JSON.stringify(this.of(request)) === before ? Effect.succeed(response) : send(request, back)
    )
  }

  // What cannot be listed is as it was.
  private list(
    send: Peer["request"],
    call: JsonRpc.Request,
    cursor: string | undefined,
    page: number
  ): Effect.Effect<void> {
    const { progressToken: _, ...meta } = Meta.of(call.params) ?? {}
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: meta }
    return Effect.matchEffect(
      Effect.flatMap(
        send(JsonRpc.request(`${LIST} for ${String(call.id)}`, LIST, params), closed),
        (response) => this.learn(response)
      ),
      {
        onFailure: ({ message }) => Effect.logWarning(`The tools could not be listed again: ${message}`),
        onSuccess: (response) => {
          const next = response._tag === "Success" ? response.result.nextCursor : undefined
          return Predicate.isString(next) && page < PAGES ? this.list(send, call, next, page + 1) : Effect.void
        }
      }
    )
  }

  private learn(response: JsonRpc.Response): Effect.Effect<JsonRpc.Response> {
    if (response._tag === "Failure" || !Array.isArray(response.result.tools)) return Effect.succeed(response)
    const dropped: Array<string> = []
    const tools = response.result.tools.filter((tool: unknown) => {
      if (!Predicate.isObject(tool) || !Predicate.isString(tool.name) || !Predicate.isObject(tool.inputSchema)) {
        return true
      }
      const { inputSchema, name } = tool
      const parameters = RoutingHeaders.parameters(inputSchema)
      this.remember(name, Result.getOrElse(parameters, () => none))
      if (Result.isSuccess(parameters)) return true
      dropped.push(`${JSON.stringify(Problem.cut(name, 200))} (${parameters.failure})`)
      return false
    })
    if (dropped.length === 0) return Effect.succeed(response)
    return Effect.as(
      Effect.logWarning(`Dropped tools whose headers are wrongly annotated: ${dropped.join(", ")}`),
      JsonRpc.success(response.id, { ...response.result, tools })
    )
  }

  private remember(name: string, parameters: Parameters): void {
    this.known.delete(name)
    if (parameters.length === 0) return
    this.known.set(name, parameters)
    const [oldest] = this.known.keys()
    if (this.known.size > MOST && oldest !== undefined) this.known.delete(oldest)
  }
}
