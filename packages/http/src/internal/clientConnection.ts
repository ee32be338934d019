/** The parts of a connection, joined: requests, each with an exchange of its own, and what belongs to none of them. */
import * as Incoming from "@mcp-effect/protocol/Incoming"
import * as Limits from "@mcp-effect/protocol/Limits"
import * as Outgoing from "@mcp-effect/protocol/Outgoing"
import { type Connection, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Body from "./clientBody.ts"
import { Exchange, type Host } from "./clientExchange.ts"
import * as Failure from "./clientFailure.ts"
import * as Headers from "./clientHeaders.ts"
import { Inbox } from "./clientInbox.ts"
import { listen } from "./clientListener.ts"
import { ListedTools } from "./clientTools.ts"
import type { Wire } from "./clientWire.ts"
import * as Text from "./text.ts"

/** Opens a connection; nothing is sent before its first message. */
export const open = (
  wire: Wire,
  session: Headers.Session,
  local: Peer
): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function*() {
    // What belongs to the building of the connection must not leak into its requests.
    const context = Context.omit(Scope.Scope, Tracer.ParentSpan)(yield* Effect.context<Scope.Scope>())
    const connection = new Joined(Effect.runForkWith(context), yield* Limits.Limits, wire, session, local)
    yield* Effect.addFinalizer(() => connection.end)
    return connection
  })

class Joined implements Connection, Host {
  readonly run: Host["run"]
  readonly limits: Limits.Limits
  readonly wire: Wire
  readonly session: Headers.Session
  readonly outgoing: Outgoing.Outgoing
  readonly inbox: Inbox
  readonly open = new Set<Fiber.Fiber<void>>()
  readonly tools = new ListedTools()
  private readonly incoming: Incoming.Incoming
  private readonly ended = Deferred.makeUnsafe<TransportError>()
  private listener: Fiber.Fiber<void> | undefined

  constructor(run: Host["run"], limits: Limits.Limits, wire: Wire, session: Headers.Session, local: Peer) {
    this.run = run
    this.limits = limits
    this.wire = wire
    this.session = session
    this.outgoing = Outgoing.make(run, nowhere, limits)
    this.incoming = Incoming.make(run, limits)
    this.inbox = new Inbox({
      run,
      limits,
      local,
      outgoing: this.outgoing,
      incoming: this.incoming,
      remote: this,
      reply: (response) =>
        this.deliverLater("A response", Headers.ofResponse(session), () => Text.ofResponse(run, response)),
      batches: () => session.version === "2025-03-26"
    })
  }

  readonly closed = Deferred.await(this.ended)

  readonly request: Peer["request"] = (request, back) =>
    Headers.versionOf(request.params) === undefined ? this.send(request, back) : this.sendStateless(request, back)

  private readonly send: Peer["request"] = (request, back) =>
    Effect.suspend(() => {
      const exchange = new Exchange(this, request, back)
      return Effect.onExit(this.outgoing.over(exchange)(request, back), (exit) => {
        if (Exit.isFailure(exit)) exchange.abandon()
        return Effect.void
      })
    })

  private readonly sendStateless = this.tools.around(this.send)

  readonly notify: Peer["notify"] = (notification) =>
    Effect.suspend(() => {
      if (this.isOver()) return Effect.fail(over)
      const sent = Effect.flatMap(
        Text.ofNotification(notification),
        (text) => this.deliver(text, Headers.ofNotification(this.session, notification))
      )
      const opens = notification.method === "notifications/initialized" &&
        Headers.versionOf(notification.params) === undefined
      return opens ? Effect.map(sent, () => this.listen()) : sent
    })

  readonly tell = (text: string): void =>
    this.deliverLater("A cancellation", Headers.ofResponse(this.session), () => text)

  readonly forgotten = (): void => {
    this.session.id = undefined
    this.close(Failure.noSession(this.wire.site, "unknown"))
  }

  /** Ends all that is going on, and the session with it. */
  readonly end = Effect.suspend(() => {
    this.close(closed)
    return this.incoming.close(closed.message).pipe(
      Effect.andThen(Effect.suspend(() => Fiber.awaitAll([...this.open]))),
      Effect.andThen(leave(this.wire, this.session))
    )
  })

  private isOver(): boolean {
    return Deferred.isDoneUnsafe(this.ended)
  }

  private close(error: TransportError): void {
    Deferred.doneUnsafe(this.ended, Effect.succeed(error))
    this.outgoing.close(error)
    this.inbox.end()
    for (const fiber of this.open) fiber.interruptUnsafe()
  }

  private start(effect: Effect.Effect<void>): Fiber.Fiber<void> {
    const fiber = this.run(effect)
    if (fiber.pollUnsafe() === undefined) {
      this.open.add(fiber)
      fiber.addObserver(() => this.open.delete(fiber))
    }
    return fiber
  }

  private listen(): void {
    this.listener?.interruptUnsafe()
    if (!this.isOver()) this.listener = this.start(listen(this))
  }

  private deliver(text: string, headers: Readonly<Record<string, string>>): Effect.Effect<void, TransportError> {
    const { session, wire } = this
    return wire.send("POST", headers, text).pipe(
      Effect.flatMap((response) => {
        const { status } = response
        if (status >= 200 && status < 300) return Body.discard(response)
        const isLost = status === 404 && session.id !== undefined && headers["mcp-session-id"] === session.id
        const error = isLost ? Failure.noSession(wire.site, "no") : Failure.status(response, "POST", "", wire.site)
        return Effect.andThen(Body.discard(response), () => {
          if (isLost) this.forgotten()
          return Effect.fail(error)
        })
      }),
      Effect.timeoutOrElse({ duration: ACCEPTING, orElse: () => Effect.fail(silent(wire)) })
    )
  }

  private deliverLater(what: string, headers: Readonly<Record<string, string>>, text: () => string): void {
    if (this.isOver()) return
    const sending = this.deliver(text(), headers)
    this.start(Effect.catch(sending, ({ message }) => Effect.logWarning(`${what} was not delivered. ${message}`)))
  }
}

// How long a server may take to accept what needs no reply.
const ACCEPTING = "30 seconds"

// A server that cannot be told forgets the session by itself.
const leave = (wire: Wire, session: Headers.Session): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (session.id === undefined) return Effect.void
    const headers = Headers.ofSession(session)
    session.id = undefined
    const told = Effect.flatMap(wire.send("DELETE", headers), Body.discard)
    return Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Effect.ignoreCause(told)), "2 seconds"))
  })

const nowhere: Outgoing.Sender = { offer: () => Effect.void, push: () => {} }

const closed = new TransportError({ reason: "closed", processed: "unknown", message: "The connection was closed" })

const over = new TransportError({ reason: "closed", processed: "no", message: "The connection was closed" })

const silent = ({ site }: Wire): TransportError =>
  new TransportError({
    reason: "closed",
    processed: "unknown",
    message: `The server at ${site.origin} did not accept a message within ${ACCEPTING}`
  })
