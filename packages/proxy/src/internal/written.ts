/** What one revision says, in the words of another. */
import * as Content from "@mcp-effect/protocol/Content"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Revision from "@mcp-effect/protocol/Revision"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import { type Call, type Result, result as made } from "@mcp-effect/server/Call"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as EffectResult from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"

type Wire = Revision.Wire

/** A result, for whoever made the call. */
export const result = ({ revision: { wire } }: Call, value: Params): Result => {
  const { _meta, cacheScope: _scope, resultType: _type, ttlMs: _ttl, ...rest } = value
  const meta = Object.entries(Meta.of(value) ?? {}).filter(([key]) => key !== Meta.SERVER_INFO)
  return made({
    ...Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, members[key]?.(wire, member) ?? member])),
    ...(meta.length === 0 ? {} : { _meta: Object.fromEntries(meta) })
  })
}

type Write = (wire: Wire, value: unknown) => unknown

const each = (write: Write): Write => (wire, value) =>
  Array.isArray(value) ? value.map((item) => write(wire, item)) : value

const isContent = Schema.is(Content.Content)

// Content of a kind that the revision lacks becomes the nearest that it has.
const content: Write = (wire, item) => isContent(item) ? Content.toWire(item, wire) : item

const message: Write = (wire, item) =>
  Predicate.isObject(item) ? { ...item, content: content(wire, item.content) } : item

const listed = (kind: keyof Wire["fields"]): Write => (wire, item) =>
  Predicate.isObject(item) ? Revision.written({ ...item }, wire.fields[kind]) : item

const prompt: Write = (wire, item) => {
  const written = listed("prompt")(wire, item)
  return Predicate.isObject(written) && written.arguments !== undefined
    ? { ...written, arguments: each(listed("promptArgument"))(wire, written.arguments) }
    : written
}

const members: Readonly<Record<string, Write>> = {
  content: each(content),
  messages: each(message),
  tools: each(listed("tool")),
  resources: each(listed("resource")),
  resourceTemplates: each(listed("resourceTemplate")),
  prompts: each(prompt)
}

const decodeElicitation = SchemaParser.decodeUnknownEffect(Elicitation.Received)
const decodeSampling = SchemaParser.decodeUnknownEffect(Sampling.Received)

/** The parameters of a question, or why the client cannot be asked it. */
export const question = (method: string, params: Params, wire: Wire): Effect.Effect<Params, McpError.InvalidParams> => {
  switch (method) {
    case "elicitation/create":
      return Effect.flatMap(
        Effect.mapError(decodeElicitation(params), () => invalid("the question is malformed")),
        (asked) => elicitation(asked, wire)
      )
    case "sampling/createMessage":
      return Effect.flatMap(
        Effect.mapError(decodeSampling(params), () => invalid("the question is malformed")),
        ({ _meta, ...asked }) =>
          EffectResult.match(Sampling.toWire(asked, wire), {
            onFailure: (why) => Effect.fail(invalid(why)),
            onSuccess: Effect.succeed
          })
      )
    default:
      return Effect.succeed(params)
  }
}

const invalid = (why: string): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Invalid params: ${why}` })

const elicitation = (asked: Elicitation.Received, wire: Wire): Effect.Effect<Params, McpError.InvalidParams> => {
  if (wire.elicitation === "none") return Effect.fail(invalid("the client's revision has no elicitation"))
  if (asked.mode === "url") {
    if (wire.elicitation !== "full") return Effect.fail(invalid("the client's revision cannot send the user to a URL"))
    const { elicitationId = globalThis.crypto.randomUUID(), message, url } = asked
    return Effect.succeed({ mode: "url", message, url, ...(wire.elicitationIds ? { elicitationId } : {}) })
  }
  const { message, requestedSchema } = asked
  if (wire.elicitation === "full") return Effect.succeed({ mode: "form", message, requestedSchema })
  const properties: Array<readonly [string, Params]> = []
  for (const [name, property] of Object.entries(requestedSchema.properties)) {
    if (property.type === "array") return Effect.fail(invalid("the client's revision has no choice of several"))
    properties.push([name, plain(property)])
  }
  return Effect.succeed({
    message,
    requestedSchema: { ...requestedSchema, properties: Object.fromEntries(properties) }
  })
}

// As 2025-06-18 writes fields: choices by names beside them, and defaults of what is true or false only.
const plain = (property: Exclude<Elicitation.Property, { readonly type: "array" }>): Params => {
  const { default: given, ...rest } = property
  const kept = property.type === "boolean" && given !== undefined ? { default: given } : {}
  const options = Elicitation.optionsOf(property)
  if (options === undefined) return { ...rest, ...kept }
  return {
    type: "string",
    ...(property.title === undefined ? {} : { title: property.title }),
    ...(property.description === undefined ? {} : { description: property.description }),
    enum: options.map(({ value }) => value),
    ...(options.some(({ title, value }) => title !== value) ? { enumNames: options.map(({ title }) => title) } : {})
  }
}
