/**
 * Who watches what: one subscription for each topic, however many watch it, until the last of them has gone.
 *
 * Knows no era; how a subscription is kept up is given.
 */
import type { Notification } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import { cancelReason } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Topic } from "./topics.ts"

export interface Watcher {
  /** Whether it wants to be told when the subscription stands, too. */
  readonly initial: boolean
  readonly tell: (what: string) => void
  readonly fail: (cause: Cause.Cause<McpError.McpError>) => void
}

/** A subscription, as whoever keeps it up sees it. */
export interface Subscription {
  readonly topic: Topic
  /** What is said to the session is about it, or not. */
  toSession: boolean
  /** It stands. If it did before, changes may have been missed. */
  readonly stands: () => void
  readonly fell: () => void
  readonly tell: (what: string) => void
}

export interface Watches {
  /** Returns how to leave. */
  readonly join: (topic: Topic, watcher: Watcher) => () => void
  /** What is said to the session. */
  readonly heard: (notification: Notification) => void
  /** Whether the client is closed: then nothing needs to be ended on the server. */
  readonly isClosed: () => boolean
}

/** Keeps a subscription up until it is interrupted, and ends it on the server then. */
export type Keep = (subscription: Subscription) => Effect.Effect<never, McpError.McpError>

// Each may be a request that stays open, of which a connection takes so many.
const MAX_TOPICS = 256

export const make = (keep: Keep): Effect.Effect<Watches, never, Scope.Scope> =>
  Effect.gen(function*() {
    const watches = new Shared(keep, Effect.runForkWith(yield* Effect.context<never>()))
    yield* Effect.addFinalizer(() => Effect.sync(() => watches.close()))
    return watches
  })

class Entry implements Subscription {
  readonly watchers = new Set<Watcher>()
  readonly topic: Topic
  toSession = false
  fiber: Fiber.Fiber<never, McpError.McpError> | undefined
  private stood = false
  private standing = false

  constructor(topic: Topic) {
    this.topic = topic
  }

  add(watcher: Watcher): void {
    this.watchers.add(watcher)
    if (this.standing && watcher.initial) watcher.tell(this.topic.name)
  }

  readonly stands = (): void => {
    for (const watcher of this.watchers) if (this.stood || watcher.initial) watcher.tell(this.topic.name)
    this.stood = true
    this.standing = true
  }

  readonly fell = (): void => {
    this.toSession = false
    this.standing = false
  }

  readonly tell = (what: string): void => {
    for (const watcher of this.watchers) watcher.tell(what)
  }

  fail(cause: Cause.Cause<McpError.McpError>): void {
    for (const watcher of this.watchers) watcher.fail(cause)
    this.watchers.clear()
  }
}

type Run = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

class Shared implements Watches {
  private readonly entries = new Map<string, Entry>()
  // What is being ended on the server: what begins again must not come before that.
  private readonly ending = new Map<string, Fiber.Fiber<unknown, unknown>>()
  private readonly keep: Keep
  private readonly run: Run
  private closed = false

  constructor(keep: Keep, run: Run) {
    this.keep = keep
    this.run = run
  }

  readonly isClosed = (): boolean => this.closed

  readonly join = (topic: Topic, watcher: Watcher): () => void => {
    const known = this.entries.get(topic.key)
    const refused = this.closed
      ? gone()
      : known === undefined && this.entries.size >= MAX_TOPICS
      ? tooMany()
      : undefined
    if (refused !== undefined) {
      watcher.fail(Cause.fail(refused))
      return () => {}
    }
    const entry = known ?? new Entry(topic)
    entry.add(watcher)
    if (known === undefined) this.start(entry)
    return () => {
      if (entry.watchers.delete(watcher) && entry.watchers.size === 0) this.end(entry)
    }
  }

  readonly heard = (notification: Notification): void => {
    for (const entry of this.entries.values()) {
      const what = entry.toSession ? entry.topic.told(notification, false) : undefined
      if (what !== undefined) entry.tell(what)
    }
  }

  close(): void {
    this.closed = true
    for (const entry of [...this.entries.values()]) {
      entry.fail(Cause.fail(gone()))
      this.end(entry)
    }
  }

  private start(entry: Entry): void {
    const { key } = entry.topic
    this.entries.set(key, entry)
    const before = this.ending.get(key)
    const kept = this.keep(entry)
    const fiber = this.run(before === undefined ? kept : Effect.andThen(Fiber.await(before), kept))
    entry.fiber = fiber
    fiber.addObserver((exit) => {
      if (this.entries.get(key) === entry) this.entries.delete(key)
      // Whoever has interrupted it has told them.
      if (Exit.isFailure(exit)) entry.fail(exit.cause)
    })
  }

  private end({ fiber, topic: { key } }: Entry): void {
    this.entries.delete(key)
    if (fiber === undefined) return
    fiber.interruptUnsafe(undefined, cancelReason("Nobody watches it any more"))
    // One that was still to begin leaves what it waits for where it is.
    if (fiber.pollUnsafe() !== undefined) return
    this.ending.set(key, fiber)
    fiber.addObserver(() => {
      if (this.ending.get(key) === fiber) this.ending.delete(key)
    })
  }
}

const gone = (): McpError.McpError =>
  new McpError.ConnectionClosed({ processed: "no", message: "The client was closed" })

const tooMany = (): McpError.McpError =>
  new McpError.InvalidRequest({
    message: `This client watches ${MAX_TOPICS} things already, and watches no more at once`
  })
