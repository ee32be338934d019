/**
 * The configuration of many servers that applications of the field share: `mcpServers`, by name, each with a command to
 * start or a URL to connect to.
 *
 * Knows no transport: it is given how to make one of either kind.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { ClientTransport } from "./ClientTransport.ts"

const Strings = Schema.Record(Schema.String, Schema.String)

/**
 * A server to start: a command with its arguments, variables of its environment, and its working directory.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Command = Schema.Struct({
  type: Schema.optionalKey(Schema.Literal("stdio")),
  command: Schema.NonEmptyString,
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  env: Schema.optionalKey(Strings),
  cwd: Schema.optionalKey(Schema.String),
  disabled: Schema.optionalKey(Schema.Boolean)
})

/**
 * A server to connect to, over Streamable HTTP unless `type` is `sse`, with headers for every request.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Remote = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals(["http", "streamable-http", "streamableHttp", "sse"])),
  url: Schema.NonEmptyString,
  headers: Schema.optionalKey(Strings),
  disabled: Schema.optionalKey(Schema.Boolean)
})

/**
 * How to reach a server of each kind: the `layer` of `StdioClient`, `StreamableHttpClient` and `SseClient`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Transports<E1 = never, R1 = never, E2 = never, R2 = never, E3 = never, R3 = never> {
  readonly stdio?: (options: Omit<typeof Command.Type, "type" | "disabled">) => Layer.Layer<ClientTransport, E1, R1>
  readonly http?: (options: Omit<typeof Remote.Type, "type" | "disabled">) => Layer.Layer<ClientTransport, E2, R2>
  readonly sse?: (options: Omit<typeof Remote.Type, "type" | "disabled">) => Layer.Layer<ClientTransport, E3, R3>
}

/**
 * What is wrong with a configuration, and of which server. Holds no value of it: these may be secret.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServersConfigError extends Data.TaggedError("ServersConfigError")<{
  readonly server: string | undefined
  readonly reason: string
}> {
  override get message(): string {
    return this.server === undefined ? this.reason : `The server ${JSON.stringify(this.server)}: ${this.reason}`
  }
}

/**
 * Makes the servers for `McpClients` out of a parsed configuration: `{ "mcpServers": { ... } }`, or the record itself.
 *
 * `${NAME}` in a value is the variable of that name, from the `ConfigProvider`; `${NAME:-other}` has a default. Servers that
 * are `disabled` are left out. A kind of server whose transport is not given is an error.
 *
 * @since 0.1.0
 * @category constructors
 */
export const servers = <E1 = never, R1 = never, E2 = never, R2 = never, E3 = never, R3 = never>(
  config: unknown,
  transports: Transports<E1, R1, E2, R2, E3, R3>
): Effect.Effect<
  Readonly<Record<string, Layer.Layer<ClientTransport, E1 | E2 | E3, R1 | R2 | R3>>>,
  ServersConfigError
> =>
  Effect.gen(function*() {
    const made = new Map<string, Layer.Layer<ClientTransport, E1 | E2 | E3, R1 | R2 | R3>>()
    for (const [server, given] of Object.entries(yield* entriesOf(config))) {
      const entry = yield* read(server, given)
      if (entry.disabled === true) continue
      const expand = expanding(server)
      if ("command" in entry) {
        const stdio = yield* needed(server, transports.stdio, "a command to start")
        made.set(server, stdio(yield* command(entry, expand)))
      } else {
        const isSse = entry.type === "sse"
        const transport = isSse ? transports.sse : transports.http
        const remote = yield* needed(server, transport, isSse ? "a URL of HTTP+SSE" : "a URL")
        made.set(
          server,
          remote({ url: yield* expand(entry.url), ...(yield* record("headers", entry.headers, expand)) })
        )
      }
    }
    return Object.fromEntries(made)
  })

const wrong = (server: string | undefined, reason: string) => new ServersConfigError({ server, reason })

const entriesOf = (config: unknown): Effect.Effect<Readonly<Record<string, unknown>>, ServersConfigError> => {
  const entries = Predicate.isObject(config) && Predicate.isObject(config.mcpServers) ? config.mcpServers : config
  return Predicate.isObject(entries)
    ? Effect.succeed({ ...entries })
    : Effect.fail(
      wrong(undefined, "The configuration must be an object of servers by name, as \"mcpServers\" or as a whole")
    )
}

const needed = <A>(server: string, transport: A | undefined, what: string): Effect.Effect<A, ServersConfigError> =>
  transport === undefined
    ? Effect.fail(wrong(server, `it is ${what}, for which no transport was given`))
    : Effect.succeed(transport)

type Entry = typeof Command.Type | typeof Remote.Type

const read = (server: string, given: unknown): Effect.Effect<Entry, ServersConfigError> => {
  if (!Predicate.isObject(given)) return Effect.fail(wrong(server, "must be an object"))
  if ((given.command === undefined) === (given.url === undefined)) {
    return Effect.fail(wrong(server, "must have either a \"command\" or a \"url\""))
  }
  const decoded: Effect.Effect<Entry, unknown> = given.command === undefined
    ? decodeRemote(given)
    : decodeCommand(given)
  const { fields } = given.command === undefined ? Remote : Command
  return Effect.mapError(decoded, () => wrong(server, `is malformed in ${malformed(fields, given).join(", ")}`))
}

const decodeCommand = SchemaParser.decodeUnknownEffect(Command)
const decodeRemote = SchemaParser.decodeUnknownEffect(Remote)

// Names only: a value may be secret.
const malformed = (fields: Readonly<Record<string, Schema.Constraint>>, given: object): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, field]) =>
    Object.hasOwn(given, name) && !Schema.is(Schema.Struct({ [name]: field }))(given) ? [JSON.stringify(name)] : []
  )

type Expand = (text: string) => Effect.Effect<string, ServersConfigError>

const command = (
  { args, command, cwd, env }: typeof Command.Type,
  expand: Expand
): Effect.Effect<Omit<typeof Command.Type, "type" | "disabled">, ServersConfigError> =>
  Effect.gen(function*() {
    return {
      command: yield* expand(command),
      ...(args === undefined ? {} : { args: yield* Effect.forEach(args, expand) }),
      ...(cwd === undefined ? {} : { cwd: yield* expand(cwd) }),
      ...(yield* record("env", env, expand))
    }
  })

const record = <K extends string>(
  name: K,
  values: Readonly<Record<string, string>> | undefined,
  expand: Expand
): Effect.Effect<{ readonly [P in K]?: Readonly<Record<string, string>> }, ServersConfigError> =>
  values === undefined ? Effect.succeed({}) : Effect.map(
    Effect.forEach(
      Object.entries(values),
      ([key, value]) => Effect.map(expand(value), (expanded) => [key, expanded] as const)
    ),
    // Sound: the one key is the name.
    (entries) => ({ [name]: Object.fromEntries(entries) }) as { readonly [P in K]: Readonly<Record<string, string>> }
  )

const VARIABLE = /\$\{(\w+)(?::-([^}]*))?\}/gu

const expanding = (server: string): Expand => (text) =>
  Effect.gen(function*() {
    let expanded = ""
    let end = 0
    for (const { 0: all, 1: name = "", 2: other, index } of text.matchAll(VARIABLE)) {
      const value = yield* Effect.mapError(
        other === undefined ? Config.String(name) : Config.String(name).pipe(Config.withDefault(other)),
        () => wrong(server, `needs the variable ${name}, which is not set`)
      )
      expanded += text.slice(end, index) + value
      end = index + all.length
    }
    return expanded + text.slice(end)
  })
