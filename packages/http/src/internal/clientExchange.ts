/**
 * One request: its POST, what is said before its response, and the response; over more than one connection, where a
 * stateful server says where to come back.
 */
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Outgoing from "@mcp-effect/protocol/Outgoing"
import { type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Predicate from "effect/Predicate"
import * as Body from "./clientBody.ts"
import * as Events from "./clientEvents.ts"
import * as Failure from "./clientFailure.ts"
import * as Headers from "./clientHeaders.ts"
import type { Inbox, Origin, Parts } from "./clientInbox.ts"
import type { ListedTools } from "./clientTools.ts"
import type { Wire } from "./clientWire.ts"

/** The connection that it is a part of. */
export interface Host extends Pick<Parts, "run" | "limits" | "outgoing"> {
  readonly wire: Wire
  readonly session: Headers.Session
  readonly inbox: Inbox
  readonly tools: ListedTools
  /** Exchanges that are going on. */
  readonly open: Set<Fiber.Fiber<void>>
  /** Sends a message that has no reply, without waiting. */
  readonly tell: (text: string) => void
  /** The server has forgotten the session. */
  readonly forgotten: () => void
}

// How long a server may take to end a stream on which it has said all. A connection that is closed is not used again.
const LINGER = "1 second"

// How many times in a row a server cannot be reached before it counts as gone.
const ATTEMPTS = 5

export class Exchange implements Outgoing.Sender, Origin {
  id: JsonRpc.Id = -1
  readonly back: Peer
  readonly asks: boolean
  private readonly host: Host
  private readonly request: JsonRpc.Request
  private readonly place = Events.start()
  private fiber: Fiber.Fiber<void> | undefined
  private session: string | undefined
  private done = false
  /** Whether the head of the response is there, and so the request at the server. */
  private arrived = false

  constructor(host: Host, request: JsonRpc.Request, back: Peer) {
    this.host = host
    this.request = request
    this.back = back
    this.asks = Headers.versionOf(request.params) === undefined
  }

  /** Starts it, in the context of the caller. */
  readonly offer = (text: string, taken: () => void, id: number): Effect.Effect<void> =>
    Effect.withFiber((caller) => {
      taken()
      this.id = id
      const { open } = this.host
      const fiber = this.fiber = Effect.runForkWith(caller.context)(this.run(text))
      if (fiber.pollUnsafe() === undefined) {
        open.add(fiber)
        fiber.addObserver(() => open.delete(fiber))
        if (this.done) this.linger()
      }
      return Effect.void
    })

  /** Cancels it. In the stateless era the end of its stream says as much. */
  readonly push = (text: string): void => {
    if (!this.asks) return
    const { run, tell } = this.host
    tell(text)
    // It may have overtaken the request, on a connection of its own, and is worth to be repeated.
    if (!this.arrived) run(Effect.andThen(Effect.sleep(LINGER), Effect.sync(() => tell(text))))
  }

  /** Nobody waits for it any more. */
  abandon(): void {
    this.fiber?.interruptUnsafe()
  }

  readonly answer = (response: JsonRpc.Response): boolean => {
    if (this.done) return false
    this.done = true
    this.learn(response)
    this.linger()
    return this.host.outgoing.respond(JsonRpc.withId(response, this.id))
  }

  private run(text: string): Effect.Effect<void> {
    const { outgoing, session, wire } = this.host
    this.session = this.asks && !this.opens ? session.id : undefined
    return wire.send("POST", Headers.ofRequest(session, this.request, this.host.tools.of(this.request)), text).pipe(
      Effect.flatMap((response) => this.read(response)),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.void
        const error = Cause.findErrorOption(cause)
        if (error._tag === "Some") return Effect.sync(() => outgoing.fail(this.id, error.value))
        outgoing.fail(this.id, unexpected)
        return Effect.logError(`The exchange for ${this.request.method} failed`, cause)
      })
    )
  }

  private read(response: HttpClientResponse): Effect.Effect<void, TransportError> {
    this.arrived = true
    if (response.status < 200 || response.status >= 300) return this.refused(response)
    if (this.opens) {
      const id = response.headers["mcp-session-id"]
      if (id !== undefined && !/^[\u0021-\u007e]+$/u.test(id)) {
        return Effect.fail(Failure.malformed("Mcp-Session-Id may have visible ASCII characters only"))
      }
      this.host.session.id = this.session = id
    }
    const type = Body.typeOf(response)
    if (Body.isEvents(type)) return this.stream(response)
    if (Body.isJson(type) && response.status !== 202) return this.json(response)
    return Effect.andThen(Body.discard(response), Effect.fail(Failure.noReply(response, this.host.wire.site)))
  }

  private json(response: HttpClientResponse): Effect.Effect<void, TransportError> {
    const { inbox, limits, wire } = this.host
    return Effect.flatMap(Body.text(response, limits.messageBytes, wire.site), (text) => {
      const problem = inbox.receive(text, this)
      if (this.done) return Effect.void
      const why = problem ?? "it does not answer the request"
      return Effect.fail(Failure.malformed(`The server at ${wire.site.origin} sent no reply. ${why}`))
    })
  }

  private refused(response: HttpClientResponse): Effect.Effect<void, TransportError> {
    const { forgotten, limits, wire } = this.host
    const type = Body.typeOf(response)
    const isText = Body.isJson(type) || type === "text/plain"
    const said = isText
      ? Effect.catch(Body.text(response, limits.messageBytes, wire.site), () => Effect.succeed(""))
      : Effect.as(Body.discard(response), "")
    return Effect.flatMap(said, (text) => {
      const message = text === "" ? undefined : JsonRpc.decode(text)
      const failure = message?._tag === "Failure" ? message : undefined
      const isLost = response.status === 404 && this.session !== undefined &&
        failure?.error.code !== JsonRpc.METHOD_NOT_FOUND
      if (isLost) {
        // At once: whoever waits for the request would interrupt this.
        this.host.outgoing.fail(this.id, Failure.noSession(wire.site, "no"))
        forgotten()
        return Effect.void
      }
      // What is said of no request, by who does not know such requests, is none of its reply.
      const isElsewhere = this.opens && failure?.id === undefined &&
        (response.status === 404 || response.status === 405)
      if (failure !== undefined && !isElsewhere) return Effect.sync(() => void this.answer(failure))
      return Effect.fail(Failure.status(response, "POST", text, wire.site))
    })
  }

  private events(response: HttpClientResponse): Effect.Effect<void, TransportError> {
    const { inbox, limits, wire } = this.host
    return Events.read(response, this.place, {
      limit: limits.messageBytes,
      site: wire.site,
      data: (text, event) => event === "message" ? void inbox.receive(text, this) : undefined
    })
  }

  // A stream that was lost is one to come back to, as is one that has ended.
  private stream(response: HttpClientResponse): Effect.Effect<void, TransportError> {
    return Effect.flatMap(
      Effect.catch(this.events(response), (error) => this.canResume(error) ? Effect.void : Effect.fail(error)),
      () => this.done ? Effect.void : this.resume(0)
    )
  }

  private canResume({ reason }: TransportError): boolean {
    return reason === "closed" && this.asks && this.place.lastEventId !== undefined
  }

  private resume(failures: number): Effect.Effect<void, TransportError> {
    return Effect.suspend(() => {
      const { session, wire } = this.host
      const { lastEventId } = this.place
      if (!this.asks) return Effect.fail(Failure.unanswered(wire.site, ""))
      if (lastEventId === undefined) {
        return Effect.fail(Failure.unanswered(wire.site, ", and gave no event id to come back with"))
      }
      const seen = this.place.events
      return Effect.sleep(Events.delay(this.place, failures)).pipe(
        Effect.andThen(Effect.suspend(() => wire.send("GET", Headers.ofStream(session, lastEventId)))),
        Effect.matchEffect({
          onFailure: (error) => failures + 1 < ATTEMPTS ? this.resume(failures + 1) : Effect.fail(unknown(error)),
          onSuccess: (response) => this.goOn(response, seen, failures)
        })
      )
    })
  }

  private goOn(response: HttpClientResponse, seen: number, failures: number): Effect.Effect<void, TransportError> {
    const { forgotten, wire } = this.host
    if (response.status === 200 && Body.isEvents(Body.typeOf(response))) {
      return Effect.flatMap(
        Effect.catch(this.events(response), (error) => this.canResume(error) ? Effect.void : Effect.fail(error)),
        () => {
          if (this.done) return Effect.void
          // A connection in vain is no failure, but not to be repeated without a pause.
          return this.resume(this.place.events > seen ? 0 : Math.min(failures + 1, 2))
        }
      )
    }
    const isLost = response.status === 404 && this.session !== undefined
    const error = isLost
      ? Failure.noSession(wire.site, "unknown")
      : unknown(Failure.status(response, "GET", "", wire.site))
    return Effect.andThen(Body.discard(response), () => {
      if (isLost) forgotten()
      return Effect.fail(error)
    })
  }

  /** What a response says of the session. */
  private learn(response: JsonRpc.Response): void {
    const { session } = this.host
    const stateless = Headers.versionOf(this.request.params)
    if (stateless !== undefined) {
      if (response._tag === "Success") session.stateless = stateless
      return
    }
    if (!this.opens) return
    const version = response._tag === "Success" ? response.result.protocolVersion : undefined
    session.version = Predicate.isString(version) ? version : undefined
    if (response._tag === "Failure") session.id = undefined
  }

  // A connection has one session; a server refuses to open another one in it.
  private get opens(): boolean {
    return this.request.method === "initialize" && this.asks && this.host.session.version === undefined
  }

  private linger(): void {
    const { fiber } = this
    if (fiber === undefined || fiber.pollUnsafe() !== undefined) return
    const timer = this.host.run(Effect.andThen(Effect.sleep(LINGER), Effect.sync(() => fiber.interruptUnsafe())))
    fiber.addObserver(() => timer.interruptUnsafe())
  }
}

const unknown = ({ cause, message, reason }: TransportError): TransportError =>
  new TransportError({ reason, processed: "unknown", message, cause })

const unexpected = new TransportError({
  reason: "closed",
  processed: "unknown",
  message: "The request could not be sent: the HTTP client failed unexpectedly"
})
