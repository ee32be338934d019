/**
 * The completions feature: `completion/complete`, for arguments of prompts and variables of resource templates. What is
 * suggested is for their completers to know.
 *
 * Source: `server/utilities/completion` of the specification.
 *
 * @since 0.1.0
 */
import * as Completion from "@mcp-effect/protocol/Completion"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import type { Principal } from "@mcp-effect/protocol/Principal"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { type Call, type Feature, type Method, result } from "./Call.ts"
import type { Bound } from "./Completer.ts"
import * as Completers from "./internal/completers.ts"
import * as ProtocolError from "./internal/protocolError.ts"
import * as TemplateOrder from "./internal/templateOrder.ts"
import type * as Prompts from "./Prompts.ts"
import type * as Resources from "./Resources.ts"

interface Completed {
  /** What it is, as messages name it. */
  readonly what: string
  readonly names: ReadonlyArray<string>
  readonly completers: Bound
}

/**
 * The feature over both registries. It is declared once there was something that suggests values, or from the start if
 * `declare` is set. Revision 2024-11-05 has the method, but no capability for it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  prompts: Prompts.Prompts,
  templates: Resources.Templates,
  { declare }: { readonly declare: boolean }
): Feature => {
  const somePrompt = someCompletes(prompts.all, ofPrompt)
  const someTemplate = someCompletes(templates.all, ofTemplate)
  const templateOf = templateFinder(templates)
  let used = declare

  const find = (ref: Completion.Reference, principal: Principal | undefined): Completed | string => {
    if (ref.type === "ref/prompt") {
      const entry = prompts.get(ref.name, principal)
      return entry === undefined ? `unknown prompt: ${ref.name}` : ofPrompt(entry)
    }
    const entry = templateOf(ref.uri, principal)
    return entry === undefined ? `unknown resource template: ${ref.uri}` : ofTemplate(entry)
  }
  const complete: Method = (call) =>
    Effect.flatMapEager(
      Effect.mapErrorEager(read(call.request.params ?? {}), (issue) => invalid(Problem.describe(issue))),
      (params) => {
        const found = find(params.ref, call.principal)
        return typeof found === "string" ? Effect.fail(invalid(found)) : suggest(call, found, params)
      }
    )
  return {
    declared: () => used ||= somePrompt() || someTemplate(),
    capability: ({ wire }) => wire.completions ? { completions: {} } : {},
    methods: { "completion/complete": complete },
    announces: () => ({ matches: () => false }),
    listens: {}
  }
}

// Compiled with the first request: a server starts without what it may never be asked for.
let decoder: ReturnType<typeof compile> | undefined
const compile = () => SchemaParser.decodeUnknownEffect(Completion.Params)

// Some clients write `null` for what they leave out.
const read = ({ argument, context, ref }: Params) => {
  const given = present({ argument, context: present(context), ref: present(ref) })
  return (decoder ??= compile())(given, Problem.thoroughly(given))
}

const present = (value: unknown): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([_, member]) => member !== null && member !== undefined))
    : value

const suggest = (
  call: Call,
  { completers, names, what }: Completed,
  { argument: { name, value }, context }: Completion.Params
): ReturnType<Method> => {
  if (!names.includes(name)) {
    const all = names.map((name) => JSON.stringify(name)).join(", ")
    return Effect.fail(invalid(`${what} has no argument ${JSON.stringify(name)}; it has ${all || "none"}`))
  }
  const completer = Object.hasOwn(completers, name) ? completers[name] : undefined
  if (completer === undefined) return Effect.succeed(result(Completion.result([])))
  return completer(call, value, { arguments: context?.arguments ?? {} }).pipe(
    Effect.mapError((error) =>
      ProtocolError.of(error, `The argument ${JSON.stringify(name)} of ${what} could not be completed`)
    ),
    Effect.map((values) => {
      const completed = Completion.result(values)
      // What cannot be a result is a defect.
      if (isResult(completed)) return result(completed)
      throw new TypeError(`The completer of ${JSON.stringify(name)} of ${what} must yield texts`)
    })
  )
}

const isResult = Schema.is(Completion.Result)

const invalid = (problem: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${problem}` })

// Known only of what is registered: then it was found to be well-formed.
const once = <E extends object>(make: (entry: E) => Completed): (entry: E) => Completed => {
  const all = new WeakMap<E, Completed>()
  return (entry) => {
    let completed = all.get(entry)
    if (completed === undefined) all.set(entry, completed = make(entry))
    return completed
  }
}

const ofPrompt = once<Prompts.Entry>(({ complete, prompt }) => ({
  what: `the prompt ${prompt.name}`,
  names: prompt.arguments.map(({ name }) => name),
  completers: { ...Completers.ofSchema(prompt.schema.ast), ...complete }
}))

const ofTemplate = once<Resources.TemplateEntry>(({ complete, template }) => ({
  what: `the resource template ${template.uriTemplate}`,
  names: template.parsed.variables,
  completers: { ...Completers.ofSchema(template.variables.ast), ...complete }
}))

// Looked for again only when the entries have changed.
const someCompletes = <E>(
  all: () => ReadonlyArray<E>,
  of: (entry: E) => Completed
): () => boolean => {
  let last: ReadonlyArray<E> | undefined
  let some = false
  return () => {
    const entries = all()
    if (entries !== last) {
      last = entries
      some = entries.some((entry) => Object.keys(of(entry).completers).length > 0)
    }
    return some
  }
}

const templateFinder = (templates: Resources.Templates) => {
  const inOrder = TemplateOrder.make(templates)
  return (uri: string, principal: Principal | undefined): Resources.TemplateEntry | undefined =>
    templates.get(uri, principal) ?? inOrder(principal).find(({ match }) => match(uri) !== undefined)
}
