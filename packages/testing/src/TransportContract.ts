/**
 * The rules that every transport must pass, as a suite of tests: run it over a client transport that reaches whatever
 * `McpServer` it is given.
 *
 * Needs vitest. Time is the test clock's; a transport must not need real time.
 *
 * @since 0.1.0
 */
import { describe, it } from "@effect/vitest"
import type { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as McpClient from "@mcp-effect/client/McpClient"
import { Principal } from "@mcp-effect/protocol/Principal"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as McpServer from "@mcp-effect/server/McpServer"
import type * as Registry from "@mcp-effect/server/Registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Absence from "./internal/absence.ts"
import * as Calls from "./internal/calls.ts"
import * as Completion from "./internal/completion.ts"
import * as Context from "./internal/context.ts"
import * as Endings from "./internal/endings.ts"
import * as Extensions from "./internal/extensions.ts"
import * as Forms from "./internal/forms.ts"
import * as Input from "./internal/input.ts"
import * as Logging from "./internal/logging.ts"
import * as Methods from "./internal/methods.ts"
import * as Middleware from "./internal/middleware.ts"
import * as Needs from "./internal/needs.ts"
import * as Once from "./internal/once.ts"
import * as Prompts from "./internal/prompts.ts"
import * as Resources from "./internal/resources.ts"
import * as Results from "./internal/results.ts"
import * as Sampling from "./internal/sampling.ts"
import * as Streams from "./internal/streams.ts"
import * as Subscriptions from "./internal/subscriptions.ts"
import * as Visibility from "./internal/visibility.ts"
import * as Visits from "./internal/visits.ts"

/**
 * Makes a principal the caller of whatever an effect asks of a server, by connections that are opened in it.
 *
 * @since 0.1.0
 * @category models
 */
export type As = (principal: Principal) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * For transports that serve in the context of the fiber that connects.
 *
 * @since 0.1.0
 * @category principals
 */
export const inContext: As = (principal) => Effect.provideService(Principal, principal)

/**
 * One rule: what a test of it does with a client and its server, in a revision.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly name: string
  /** The revisions that have what the rule is about; all by default. */
  readonly applies?: (revision: Revision.Revision) => boolean
  /** Whether it needs a transport that can say who is calling. */
  readonly principals?: boolean
  readonly test: (
    revision: Revision.Revision,
    as: As
  ) => Effect.Effect<
    void,
    unknown,
    McpClient.McpClient | McpServer.McpServer | ClientTransport | Scope.Scope
  >
  /** What the server offers. */
  readonly features?: Layer.Layer<never, Registry.RegistrationError, McpServer.McpServer>
  /** How the server behaves, if not as by default. */
  readonly options?: Pick<McpServer.Options, "declare" | "pageSize" | "caching" | "middleware">
}

/**
 * Registers the suite. `transport` connects a client to the `McpServer` that it is given; it is built anew for each test.
 * `as` says how its clients come to be a principal; without it, the rules about principals are left out. `except` names
 * rules that cannot hold, where something stands between client and server.
 *
 * @since 0.1.0
 * @category suites
 */
export const suite = <E>(
  name: string,
  transport: Layer.Layer<ClientTransport, E, McpServer.McpServer>,
  options: {
    readonly revisions?: ReadonlyArray<Revision.Name>
    readonly as?: As
    readonly except?: ReadonlyArray<string>
  } = {}
): void => {
  const { as, except = [] } = options
  for (const name of except) {
    if (!rules.some((rule) => rule.name === name)) throw new TypeError(`There is no rule ${JSON.stringify(name)}`)
  }
  for (const revision of Revisions.pick(options.revisions)) {
    describe(`${name}, ${revision.name}`, () => {
      for (const rule of rules) {
        if (rule.applies?.(revision) === false || (rule.principals === true && as === undefined)) continue
        if (except.includes(rule.name)) continue
        it.effect(
          rule.name,
          () =>
            // What a test has opened is closed before its server is.
            Effect.scoped(rule.test(revision, as ?? nobody)).pipe(
              Effect.provide(environment(transport, revision, rule))
            )
        )
      }
    })
  }
}

const nobody: As = () => (self) => self

const rules: ReadonlyArray<Rule> = [
  ...Calls.rules,
  ...Streams.rules,
  ...Endings.rules,
  ...Input.rules,
  ...Forms.rules,
  ...Visits.rules,
  ...Sampling.rules,
  ...Needs.rules,
  ...Once.rules,
  ...Resources.rules,
  ...Prompts.rules,
  ...Completion.rules,
  ...Logging.rules,
  ...Subscriptions.rules,
  ...Middleware.rules,
  ...Visibility.rules,
  ...Context.rules,
  ...Results.rules,
  ...Extensions.rules,
  ...Methods.rules,
  ...Absence.rules
]

const environment = <E>(
  transport: Layer.Layer<ClientTransport, E, McpServer.McpServer>,
  revision: Revision.Revision,
  rule: Rule
) => {
  const server = (rule.features ?? Layer.empty).pipe(
    Layer.provideMerge(McpServer.layer({ name: "contract", version: "1.0.0", declare: ["tools"], ...rule.options }))
  )
  return McpClient.layer({ name: "contract", version: "1.0.0", revisions: [revision.name] }).pipe(
    Layer.provideMerge(transport),
    Layer.provideMerge(server)
  )
}
