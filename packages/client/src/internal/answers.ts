/** From a question as it came, through its handler, to an answer that fits it. */
import * as ElicitationModel from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Problem from "@mcp-effect/protocol/Problem"
import * as RootsModel from "@mcp-effect/protocol/Roots"
import * as SamplingModel from "@mcp-effect/protocol/Sampling"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { Elicitation, Form, Url } from "../Elicitation.ts"
import type { Roots } from "../Roots.ts"
import type { Sampling } from "../Sampling.ts"
import * as FormCheck from "./formCheck.ts"

type Answered = Effect.Effect<Params, McpError.ProtocolError>

/** The modes of elicitation that there are handlers for, as a capability. */
export const modes = ({ form, url }: Elicitation["Service"]): Params => ({
  ...(form === undefined ? {} : { form: {} }),
  ...(url === undefined ? {} : { url: {} })
})

/** What a request for a message may bring, as a capability. */
export const allowed = ({ context, tools }: Sampling["Service"]): Params => ({
  ...(tools === true ? { tools: {} } : {}),
  ...(context === true ? { context: {} } : {})
})

const decodeElicitation = SchemaParser.decodeUnknownEffect(ElicitationModel.Received)

export const elicited = ({ form, url }: Elicitation["Service"], params: Params): Answered =>
  Effect.flatMap(decoded(decodeElicitation(params)), (asked): Answered => {
    if (isUrl(asked)) {
      return url === undefined
        ? Effect.fail(invalid("this client cannot send the user to a URL"))
        : Effect.map(handled("elicitation/create", url(asked)), ({ _tag }) => ({ action: actions[_tag] }))
    }
    return form === undefined
      ? Effect.fail(invalid("this client has no forms"))
      : Effect.flatMap(handled("elicitation/create", form(asked)), (answer) => filled(asked, answer))
  })

const actions = { Accept: "accept", Decline: "decline", Cancel: "cancel" } as const

const isUrl = (asked: Form | Url): asked is Url => asked.mode === "url"

const filled = ({ requestedSchema }: Form, answer: ElicitationModel.Answer<Params>): Answered => {
  if (answer._tag !== "Accept") return Effect.succeed({ action: actions[answer._tag] })
  const content = ElicitationModel.withDefaults(answer.content, requestedSchema.properties)
  const problem = FormCheck.problem(requestedSchema, content)
  return problem === undefined
    ? Effect.succeed({ action: "accept", content })
    : unfit("elicitation/create", `the content does not fit the form: ${problem}`)
}

const decodeSampling = SchemaParser.decodeUnknownEffect(SamplingModel.Received)
const encodeMessage = SchemaParser.encodeUnknownEffect(SamplingModel.Result)

export const sampled = (sampling: Sampling["Service"], params: Params): Answered =>
  Effect.gen(function*() {
    const request = yield* decoded(decodeSampling(params))
    const problem = SamplingModel.problem(request) ?? undeclared(sampling, request)
    if (problem !== undefined) return yield* invalid(problem)
    const message = yield* handled("sampling/createMessage", sampling.handler(request))
    return yield* Effect.catch(
      encodeMessage(message),
      (issue) => unfit("sampling/createMessage", Problem.describe(issue))
    )
  })

const undeclared = ({ context, tools }: Sampling["Service"], request: SamplingModel.Received): string | undefined => {
  if (tools !== true && (request.tools !== undefined || request.toolChoice !== undefined)) {
    return "this client did not declare sampling with tools"
  }
  const { includeContext = "none" } = request
  return context !== true && includeContext !== "none" ? "this client did not declare sampling with context" : undefined
}

const encodeRoots = SchemaParser.encodeUnknownEffect(RootsModel.Result)

export const rooted = ({ current }: Roots["Service"]): Answered =>
  Effect.flatMap(
    handled("roots/list", current),
    (roots) => Effect.catch(encodeRoots({ roots }), (issue) => unfit("roots/list", Problem.describe(issue)))
  )

const invalid = (problem: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${problem}` })

const decoded = <A>(effect: Effect.Effect<A, SchemaIssue.Issue>): Effect.Effect<A, McpError.InvalidParams> =>
  Effect.mapError(effect, (issue) => invalid(Problem.describe(issue)))

// Why a handler has failed is for its own side only.
const handled = <A>(method: string, effect: Effect.Effect<A, unknown>): Effect.Effect<A, McpError.InternalError> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(
        Effect.logError(`The handler of ${method} failed`, cause),
        Effect.fail(new McpError.InternalError({ message: `The client could not answer ${method}` }))
      ))

const unfit = (method: string, problem: string): Answered =>
  Effect.andThen(
    Effect.logError(`The answer of the handler of ${method} is not sent: ${problem}`),
    Effect.fail(new McpError.InternalError({ message: `The client's answer to ${method} cannot be used` }))
  )
