/**
 * Reaches a server by starting it as a child process and speaking over its standard streams.
 *
 * Knows processes; not MCP. At the end it closes the child's input, waits, and then ends the whole process group.
 *
 * Source: `basic/transports/stdio` of revision 2026-07-28, and `basic/transports` of the earlier ones.
 *
 * @since 0.1.0
 */
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import { type Connection, type Peer, TransportError } from "@mcp-effect/protocol/Peer"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import { type ChildProcessHandle, ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Environment from "./internal/environment.ts"
import * as Tail from "./internal/tail.ts"
import * as Lines from "./Lines.ts"
import * as Wire from "./Wire.ts"

/**
 * How to start the server.
 *
 * - `env`: variables beside a safe minimum (`PATH`, `HOME`, ...). Other variables of this process are not passed on,
 *   unless `inheritEnv` is set.
 * - `stderr`: what the child's standard error is for: `log` (each line as a debug log, the default), `inherit` (printed
 *   to our standard error) or `ignore`. It is always read, and its last 4 KiB are part of an error.
 * - `exitAfter`: how long to wait for the child to exit after its input was closed, and again after SIGTERM, before
 *   SIGKILL (default 2 seconds).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly inheritEnv?: boolean
  readonly cwd?: string
  readonly stderr?: "log" | "inherit" | "ignore"
  readonly exitAfter?: Duration.Input
}

/**
 * Starts the server and connects to it. Fails as `refused` when it cannot be started.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect = (
  options: Options,
  local: Peer
): Effect.Effect<Connection, TransportError, ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* spawn(options)
    const tail = Tail.make(4096)
    const stderr = yield* Effect.forkScoped(drain(child, options.stderr ?? "log", tail))
    const exit = yield* Effect.forkScoped(status(child))
    const encoder = new TextEncoder()
    const wire = yield* Wire.make({
      input: child.stdout,
      output: Sink.mapInput(child.stdin, (text: string) => encoder.encode(text)),
      local: () => Effect.succeed(local),
      answerInvalid: false
    })
    const lost = Effect.gen(function*() {
      const reading = yield* Effect.forkChild(Effect.ignore(wire.read))
      yield* Effect.raceAllFirst([Fiber.await(reading), Fiber.await(exit), failure(wire.written)])
      // Whichever came first, the other explains it, and what the child still wrote counts.
      const how = yield* Effect.timeoutOption(Fiber.join(exit), "1 second")
      yield* Effect.timeoutOption(Fiber.await(reading), "250 millis")
      yield* Effect.timeoutOption(Fiber.await(stderr), "250 millis")
      const what = how._tag === "Some" ? how.value : "closed its standard output"
      yield* wire.duplex.close(closed(options, what, tail))
    })
    yield* Effect.forkScoped(lost)
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        wire.finish(closed(options, "was stopped", tail)),
        Effect.timeoutOption(Fiber.await(exit), options.exitAfter ?? "2 seconds")
      )
    )
    return wire.duplex
  })

/**
 * The server as a `ClientTransport`. Each connection starts a process of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ClientTransport, never, ChildProcessSpawner> =>
  Layer.effect(
    ClientTransport,
    Effect.map(ChildProcessSpawner, (spawner) => ({
      connect: (local: Peer) => Effect.provideService(connect(options, local), ChildProcessSpawner, spawner)
    }))
  )

const spawn = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<
  ChildProcessHandle,
  TransportError,
  ChildProcessSpawner | Scope.Scope
> {
  const spawner = yield* ChildProcessSpawner
  const env = options.inheritEnv === true ? {} : yield* Environment.minimal
  const command = ChildProcess.make(options.command, options.args ?? [], {
    env: { ...env, ...options.env },
    extendEnv: options.inheritEnv ?? false,
    cwd: options.cwd,
    stdin: { stream: "pipe", endOnDone: true },
    forceKillAfter: options.exitAfter ?? "2 seconds"
  })
  // Node throws for what it cannot even try to start.
  return yield* Effect.catchCause(Effect.suspend(() => spawner.spawn(command)), (cause) => {
    const error = Cause.squash(cause)
    const why = error instanceof Error ? error.message : String(error)
    return Effect.fail(
      new TransportError({
        reason: "refused",
        processed: "no",
        message: `The server could not be started as ${JSON.stringify(options.command)}: ${why}`,
        cause: error
      })
    )
  })
})

const LINE = 64 * 1024

const drain = (
  child: ChildProcessHandle,
  mode: NonNullable<Options["stderr"]>,
  tail: Tail.Tail
): Effect.Effect<void> => {
  const bytes = Stream.tap(child.stderr, (chunk) => Effect.sync(() => tail.push(chunk)))
  if (mode === "ignore") return Effect.ignore(Stream.runDrain(bytes))
  const show = mode === "inherit" ? Console.error : (line: string) => Effect.logDebug(line)
  const said: Array<string> = []
  // A line without an end is not held.
  const lines = Lines.splitter(LINE, {
    line: (line) => void said.push(line),
    tooLarge: (head, tail) => void said.push(`${head} ... ${tail}`)
  })
  const showAll = Effect.suspend(() => Effect.forEach(said.splice(0), show, { discard: true }))
  return Stream.runForEach(bytes, (chunk) => {
    lines.push(chunk)
    return showAll
  }).pipe(
    Effect.andThen(Effect.suspend(() => {
      lines.end()
      return showAll
    })),
    Effect.ignoreCause
  )
}

const status = (child: ChildProcessHandle): Effect.Effect<string> =>
  Effect.match(child.exitCode, {
    onFailure: (error) => `ended: ${reasonOf(error)}`,
    onSuccess: (code) => `exited with code ${code}`
  })

const reasonOf = (error: PlatformError.PlatformError): string =>
  error.cause instanceof Error ? error.cause.message : error.message

// Succeeds when writing has failed; a writer that has ended well says nothing.
const failure = <E>(written: Effect.Effect<void, E>): Effect.Effect<void> =>
  Effect.matchCauseEffect(written, { onFailure: () => Effect.void, onSuccess: () => Effect.never })

const closed = (options: Options, what: string, tail: Tail.Tail): TransportError => {
  const said = tail.text()
  return new TransportError({
    reason: "closed",
    processed: "unknown",
    message: `The server ${JSON.stringify(options.command)} ${what}${
      said === "" ? "" : `; its standard error ends:\n${said}`
    }`
  })
}
