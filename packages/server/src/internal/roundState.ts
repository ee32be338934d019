/** What a handler has learnt so far, as it travels in `requestState`: sealed, so that what comes back is ours. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"

const Answer = Schema.Struct({ digest: Schema.String, response: Schema.Record(Schema.String, Schema.Unknown) })

/**
 * - `answers`: what the client has answered, and to which question.
 * - `asked`: the digests of the questions that this round was ended by.
 * - `once`: what `ClientInput.once` has yielded.
 * - `parts`: how many parts of the content were sent.
 */
const RoundState = Schema.Struct({
  answers: Schema.Record(Schema.String, Answer),
  asked: Schema.Record(Schema.String, Schema.String),
  once: Schema.Record(Schema.String, Schema.Unknown),
  parts: Schema.Int
})

export type RoundState = typeof RoundState.Type

export type Answer = typeof Answer.Type

export const empty: RoundState = { answers: {}, asked: {}, once: {}, parts: 0 }

/**
 * Answers that came with no state: nobody can say to which question, so that only the key that a handler has given counts.
 */
export const unasked = (responses: unknown): Effect.Effect<Params, McpError.InvalidParams> => {
  if (responses === undefined) return Effect.succeed({})
  if (!Predicate.isObject(responses)) return Effect.fail(invalid("\"inputResponses\" must be an object"))
  const wrong = Object.keys(responses).find((key) => !Predicate.isObject(responses[key]))
  return wrong === undefined ? Effect.succeed(responses) : Effect.fail(notAnObject(wrong))
}

// Compiled with the first state that comes: most servers never see one.
let decoder: ReturnType<typeof compile> | undefined
const decode = (payload: unknown) => (decoder ??= compile())(payload)
const compile = () => SchemaParser.decodeUnknownEffect(RoundState)

/** The state of the round that these responses open. What was not asked is ignored; what is not answered is asked again. */
export const answered = (payload: unknown, responses: unknown): Effect.Effect<RoundState, McpError.InvalidParams> =>
  Effect.matchEffect(decode(payload), {
    onFailure: () => Effect.fail(invalid("\"requestState\" is not valid for this request")),
    onSuccess: (state) => {
      if (responses !== undefined && !Predicate.isObject(responses)) {
        return Effect.fail(invalid("\"inputResponses\" must be an object"))
      }
      const answers = new Map(Object.entries(state.answers))
      for (const [key, digest] of Object.entries(state.asked)) {
        const response = responses !== undefined && Object.hasOwn(responses, key) ? responses[key] : undefined
        if (response === undefined) continue
        if (!Predicate.isObject(response)) return Effect.fail(notAnObject(key))
        answers.set(key, { digest, response: { ...response } })
      }
      return Effect.succeed({ ...state, answers: Object.fromEntries(answers), asked: {} })
    }
  })

const notAnObject = (key: string): McpError.InvalidParams =>
  invalid(`the response ${JSON.stringify(key)} in "inputResponses" must be an object`)

const invalid = (what: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${what}` })
