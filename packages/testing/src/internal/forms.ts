/** The rules of forms: every kind of field, as the revision writes it, and the answer as a handler gets it. */
import { assert } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { json, texts } from "./texts.ts"

type Params = JsonRpc.Params

const size = Schema.Literals(["small", "large"])
const color = Elicitation.choices({ "#F00": "Red", "#0F0": "Green" })

// Of each field: its schema, how it is written, and an answer.
const single = {
  name: Schema.String.check(Schema.isMinLength(2), Schema.isMaxLength(9)).annotate({ title: "Name", description: "D" }),
  mail: Elicitation.email,
  site: Elicitation.uri,
  day: Elicitation.date,
  at: Elicitation.dateTime,
  age: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 150 })),
  height: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0.5)),
  news: Schema.Boolean,
  size,
  color,
  note: Schema.optionalKey(Schema.String)
}
const properties: Params = {
  name: { type: "string", minLength: 2, maxLength: 9, title: "Name", description: "D" },
  mail: { type: "string", format: "email" },
  site: { type: "string", format: "uri" },
  day: { type: "string", format: "date" },
  at: { type: "string", format: "date-time" },
  age: { type: "integer", minimum: 0, maximum: 150 },
  height: { type: "number", minimum: 0.5 },
  news: { type: "boolean" },
  size: { type: "string", enum: ["small", "large"] },
  note: { type: "string" }
}
const content = {
  name: "Ada",
  mail: "ada@example.com",
  site: "https://example.com/",
  day: "2026-07-28",
  at: "2026-07-28T12:00:00Z",
  age: 36,
  height: 1.65,
  news: false,
  size: "small",
  color: "#0F0"
}
const wrong: Params = {
  name: "A",
  mail: "nowhere",
  site: "example",
  day: "2026-02-30",
  at: "noon",
  age: 1.5,
  height: 0.25,
  news: "yes",
  size: "medium",
  color: "Green"
}

const several = {
  sizes: Schema.Array(size).check(Schema.isMinLength(1), Schema.isMaxLength(2)),
  colors: Schema.Array(color)
}

const preset = {
  name: Schema.String.annotate({ default: "Ada" }),
  age: Schema.Int.annotate({ default: 36 }),
  news: Schema.Boolean.annotate({ default: true }),
  size: size.annotate({ default: "large" })
}
const presets = { name: "Ada", age: 36, news: true, size: "large" }

const asking = (name: string, fields: typeof single | typeof several | typeof preset) =>
  McpServer.tool(
    Tool.make(name),
    () => Effect.map(ClientInput.elicit(Elicitation.form({ message: "Well?", fields })), (it) => JSON.stringify(it))
  )

const features = Layer.mergeAll(asking("single", single), asking("several", several), asking("preset", preset))

/** Asks by a form that is answered with this content. */
const filled = (revision: Revision.Revision, name: string, ...contents: ReadonlyArray<Params>) =>
  Effect.gen(function*() {
    const left = [...contents]
    const client = yield* RawClient.connect(revision.name, {
      capabilities: { elicitation: {} },
      answers: { "elicitation/create": () => Effect.sync(() => ({ action: "accept", content: left.shift() })) }
    })
    const results = yield* Effect.forEach(contents, () => client.call("tools/call", { name }))
    return { asked: client.asked.map(({ params: { _meta, ...params } }) => params), results }
  })

const isFull = ({ wire }: Revision.Revision): boolean => wire.elicitation === "full"
const hasForms = ({ wire }: Revision.Revision): boolean => wire.elicitation !== "none"

const titled = [{ const: "#F00", title: "Red" }, { const: "#0F0", title: "Green" }]

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST ask for every kind of field in the words of the revision, and hand the answer to the handler",
    applies: hasForms,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const { asked, results } = yield* filled(revision, "single", content)
        const choice = isFull(revision) ? { oneOf: titled } : { enum: ["#F00", "#0F0"], enumNames: ["Red", "Green"] }
        assert.deepStrictEqual(asked, [{
          ...(isFull(revision) ? { mode: "form" } : {}),
          message: "Well?",
          requestedSchema: {
            type: "object",
            properties: { ...properties, color: { type: "string", ...choice } },
            required: Object.keys(content)
          }
        }])
        assert.deepStrictEqual(results.map(json), [{ _tag: "Accept", content }])
      })
  },
  {
    name: "MUST make a tool failure of an answer that does not fit, and name its field",
    applies: hasForms,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const fields = Object.keys(wrong)
        const misfits = fields.map((field) => ({ ...content, [field]: wrong[field] }))
        const { results } = yield* filled(revision, "single", ...misfits, { ...content, note: 1 }, {})
        assert.deepStrictEqual(results.map(({ isError }) => isError), results.map(() => true))
        const told = results.map((result) => texts(result).join())
        for (const [index, field] of [...fields, "note"].entries()) assert.include(told[index], `"${field}"`)
        for (const field of fields) assert.include(told.at(-1), `"${field}"`)
      })
  },
  {
    name: "MUST ask for a choice of several where the revision can, and else make a tool failure of it",
    applies: hasForms,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const chosen = { sizes: ["large"], colors: ["#F00", "#0F0"] }
        if (!isFull(revision)) {
          const { asked, results: [result = {}] } = yield* filled(revision, "several", chosen)
          assert.deepStrictEqual([asked, result.isError], [[], true])
          assert.include(texts(result)[0], "\"sizes\"")
          return
        }
        const { asked, results: [good = {}, few = {}, other = {}] } = yield* filled(
          revision,
          "several",
          chosen,
          { ...chosen, sizes: [] },
          { ...chosen, colors: ["#00F"] }
        )
        assert.deepStrictEqual(asked[0]?.requestedSchema, {
          type: "object",
          properties: {
            sizes: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["small", "large"] } },
            colors: { type: "array", items: { anyOf: titled } }
          },
          required: ["sizes", "colors"]
        })
        assert.deepStrictEqual(json(good), { _tag: "Accept", content: chosen })
        assert.include(texts(few)[0], "\"sizes\"")
        assert.include(texts(other)[0], "\"colors\"")
      })
  },
  {
    name: "MUST give a field that is not answered its default, whether the revision can write it or not",
    applies: hasForms,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const { asked, results } = yield* filled(revision, "preset", {}, { age: 7, news: false })
        const form = asked[0]?.requestedSchema as { readonly properties: Record<string, Params> }
        assert.notProperty(form, "required")
        const written = Object.entries(form.properties).map(([name, field]) => [name, field.default])
        assert.deepStrictEqual(Object.fromEntries(written), {
          ...(isFull(revision) ? presets : { name: undefined, age: undefined, size: undefined }),
          news: true
        })
        assert.deepStrictEqual(results.map(json), [
          { _tag: "Accept", content: presets },
          { _tag: "Accept", content: { ...presets, age: 7, news: false } }
        ])
      })
  }
]
