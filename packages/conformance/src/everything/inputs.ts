/**
 * The tools of the suite that ask their client, in both eras. The keys are those that the suite answers by.
 *
 * Knows nothing of how a question travels.
 */
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const define = <const Name extends string>(name: Name, description: string) => Tool.make(name, { description })

const described = (description: string) => Schema.String.annotate({ description })

const told = (answer: Elicitation.Answer<unknown>): string =>
  `action=${answer._tag.toLowerCase()}, content=${JSON.stringify(answer._tag === "Accept" ? answer.content : {})}`

const ask = (message: string, maxTokens = 100) => Sampling.make({ messages: message, maxTokens })

const nameForm = Elicitation.form({ message: "What is your name?", fields: { name: Schema.String } })
const okForm = Elicitation.form({ message: "Please confirm", fields: { ok: Schema.Boolean } })

const sampling = McpServer.tool(
  Tool.make("test_sampling", { description: "Asks a language model", input: { prompt: Schema.String } }),
  ({ prompt }) => Effect.map(ClientInput.sample(ask(prompt)), (reply) => `LLM response: ${Sampling.textOf(reply)}`)
)

const elicitation = McpServer.tool(
  Tool.make("test_elicitation", { description: "Asks the user", input: { message: Schema.String } }),
  ({ message }) =>
    Effect.map(
      ClientInput.elicit(Elicitation.form({
        message,
        fields: { username: described("User's response"), email: described("User's email address") }
      })),
      (answer) => `User response: ${told(answer)}`
    )
)

const defaults = Elicitation.form({
  message: "Please check the values",
  fields: {
    name: Schema.String.annotate({ default: "John Doe" }),
    age: Schema.Int.annotate({ default: 30 }),
    score: Schema.Finite.annotate({ default: 95.5 }),
    status: Schema.Literals(["active", "inactive", "pending"]).annotate({ default: "active" }),
    verified: Schema.Boolean.annotate({ default: true })
  }
})

const untitled = Schema.Literals(["option1", "option2", "option3"])

const choices = Elicitation.form({
  message: "Please choose",
  fields: {
    untitledSingle: untitled,
    titledSingle: Elicitation.choices({ value1: "First Option", value2: "Second Option", value3: "Third Option" }),
    legacyEnum: Elicitation.choices({ opt1: "Option One", opt2: "Option Two", opt3: "Option Three" }, { legacy: true }),
    untitledMulti: Schema.Array(untitled),
    titledMulti: Schema.Array(
      Elicitation.choices({ value1: "First Choice", value2: "Second Choice", value3: "Third Choice" })
    )
  }
})

const completed = (form: Elicitation.Form) => () =>
  Effect.map(ClientInput.elicit(form), (answer) => `Elicitation completed: ${told(answer)}`)

const forms = Layer.mergeAll(
  McpServer.tool(define("test_elicitation_sep1034_defaults", "Asks with defaults"), completed(defaults)),
  McpServer.tool(define("test_elicitation_sep1330_enums", "Asks with every kind of choice"), completed(choices)),
  McpServer.tool(
    Tool.make("test_missing_capability", { description: "Needs sampling", needs: { sampling: {} } }),
    () => Effect.succeed("Success")
  ),
  McpServer.tool(define("test_streaming_elicitation", "Asks the user its name"), () => greeting)
)

const hello = (answer: Elicitation.Answer<{ readonly name: string }>): string =>
  `Hello, ${answer._tag === "Accept" ? answer.content.name : "nobody"}!`

const greeting = Effect.map(ClientInput.elicit(nameForm, { key: "user_name" }), hello)

const capital = ClientInput.sample(ask("What is the capital of France?"), { key: "capital_question" })

const single = Layer.mergeAll(
  McpServer.tool(define("test_input_required_result_elicitation", "Asks the user's name"), () => greeting),
  McpServer.tool(
    define("test_input_required_result_sampling", "Asks a language model"),
    () => Effect.map(capital, Sampling.textOf)
  ),
  McpServer.tool(
    define("test_input_required_result_list_roots", "Asks for the roots"),
    () => Effect.map(ClientInput.roots(), (roots) => roots.map(({ uri }) => uri).join("\n"))
  )
)

// What is kept makes sure that there is a state.
const started = ClientInput.once("started", Effect.succeed("state-ok"))

const confirmed = Effect.gen(function*() {
  const kept = yield* started
  const answer = yield* ClientInput.elicit(okForm, { key: "confirm" })
  return `${kept}: ${told(answer)}`
})

const states = Layer.mergeAll(
  McpServer.tool(define("test_input_required_result_request_state", "Keeps a state"), () => confirmed),
  McpServer.tool(define("test_input_required_result_tampered_state", "Keeps a state that is sealed"), () => confirmed),
  McpServer.tool(
    define("test_input_required_result_multiple_inputs", "Asks three things at once"),
    () =>
      Effect.gen(function*() {
        yield* started
        const [name, reply, roots] = yield* Effect.all([
          ClientInput.elicit(nameForm, { key: "user_name" }),
          ClientInput.sample(ask("Generate a greeting", 50), { key: "greeting" }),
          ClientInput.roots()
        ], { concurrency: "unbounded" })
        return `${hello(name)} ${Sampling.textOf(reply)} (${roots.length} roots)`
      })
  ),
  McpServer.tool(
    define("test_input_required_result_multi_round", "Asks one thing after another"),
    () =>
      Effect.gen(function*() {
        yield* started
        const name = yield* ClientInput.elicit(
          Elicitation.form({ message: "Step 1: What is your name?", fields: { name: Schema.String } }),
          { key: "step1" }
        )
        const color = yield* ClientInput.elicit(
          Elicitation.form({ message: "Step 2: What is your favorite color?", fields: { color: Schema.String } }),
          { key: "step2" }
        )
        return `${hello(name)} ${told(color)}`
      })
  )
)

// Asked only of a client that can answer.
const ifAble = <A>(asking: Effect.Effect<A, ClientInput.InputError>): Effect.Effect<A | void, ClientInput.InputError> =>
  Effect.catchTag(asking, "MissingRequiredClientCapability", () => Effect.void)

const possible = Effect.all(
  [ifAble(ClientInput.elicit(okForm)), ifAble(capital)],
  { concurrency: "unbounded" }
)

const capabilities = McpServer.tool(
  define("test_input_required_result_capabilities", "Asks only what its client can answer"),
  () => Effect.as(possible, "Asked what could be asked")
)

export const inputs = Layer.mergeAll(sampling, elicitation, forms, single, states, capabilities)
