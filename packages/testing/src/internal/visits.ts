/** The rules of sending the user to a URL: only where the revision and the client can, and told when it is done. */
import { assert } from "@effect/vitest"
import * as Elicitation from "@mcp-effect/protocol/Elicitation"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Resource from "@mcp-effect/protocol/Resource"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as ClientInput from "@mcp-effect/server/ClientInput"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { texts } from "./texts.ts"

const COMPLETE = "notifications/elicitation/complete"

const visit = { message: "Pay there", url: "https://example.com/pay" }
const name = Elicitation.form({ message: "Who are you?", fields: { name: Schema.String } })

const refusal = new McpError.RemoteError({
  code: -32042,
  message: "Members only",
  data: { elicitations: [{ mode: "url", elicitationId: "join", ...visit }] }
})

const tagOf = (answer: Elicitation.Answer<unknown>): string => answer._tag

const features = Layer.mergeAll(
  McpServer.tool(Tool.make("pay"), () =>
    Effect.gen(function*() {
      const answer = yield* ClientInput.elicit(Elicitation.url({ ...visit, elicitationId: "visit" }))
      if (answer._tag === "Accept") yield* ClientInput.completed("visit")
      return answer._tag
    })),
  McpServer.tool(Tool.make("anywhere"), () => Effect.map(ClientInput.elicit(Elicitation.url(visit)), tagOf)),
  McpServer.tool(Tool.make("done"), () => ClientInput.completed("visit")),
  McpServer.tool(Tool.make("form"), () => Effect.map(ClientInput.elicit(name), tagOf)),
  McpServer.resource(Resource.make({ uri: "test://members", name: "members" }), () => Effect.fail(refusal))
)

const connect = (revision: Revision.Revision, elicitation: object, action = "accept") =>
  RawClient.connect(revision.name, {
    capabilities: { elicitation },
    answers: { "elicitation/create": () => Effect.succeed({ action }) }
  })

// On whichever way they came.
const completions = (client: RawClient.RawClient) =>
  Effect.map(
    Effect.all([Queue.clear(client.tied), Queue.clear(client.heard)]),
    (queues) => queues.flat().filter(({ method }) => method === COMPLETE).map(({ params }) => params)
  )

const isFull = ({ wire }: Revision.Revision): boolean => wire.elicitation === "full"

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST send the user to a URL, and tell that the visit is over where the revision has a message for that",
    applies: isFull,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, { url: {} })
        assert.deepStrictEqual(texts(yield* client.call("tools/call", { name: "pay" })), ["Accept"])
        const id = revision.wire.elicitationIds ? { elicitationId: "visit" } : {}
        const asked = client.asked.map(({ params: { _meta, ...params } }) => params)
        assert.deepStrictEqual(asked, [{ mode: "url", ...visit, ...id }])
        const told = revision.methods.clientNotifications.has(COMPLETE) ? [{ elicitationId: "visit" }] : []
        assert.deepStrictEqual(yield* completions(client), told)
      })
  },
  {
    name: "MUST give each visit an id of its own where the revision has ids",
    applies: isFull,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, { url: {} })
        for (const _ of [1, 2]) yield* client.call("tools/call", { name: "anywhere" })
        const [one, two] = client.asked.map(({ params }) => params.elicitationId)
        assert.strictEqual(typeof one, revision.wire.elicitationIds ? "string" : "undefined")
        assert.strictEqual(one !== two, revision.wire.elicitationIds)
      })
  },
  {
    name: "MUST give the handler a visit that was declined or cancelled as a value, and tell of no end of it",
    applies: isFull,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        for (const [action, tag] of [["decline", "Decline"], ["cancel", "Cancel"]] as const) {
          const client = yield* connect(revision, { url: {} }, action)
          assert.deepStrictEqual(texts(yield* client.call("tools/call", { name: "pay" })), [tag])
          assert.deepStrictEqual(yield* completions(client), [])
        }
      })
  },
  {
    name: "MUST ask a client in no mode that it did not declare, and tell it of no visit",
    applies: isFull,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        for (
          const [elicitation, tool, mode] of [[{}, "pay", "url"], [{ form: {} }, "pay", "url"], [
            { url: {} },
            "form",
            "form"
          ]]
        ) {
          const client = yield* connect(revision, elicitation as object)
          const error = yield* client.error("tools/call", { name: tool })
          assert.strictEqual(error.code, revision.wire.missingCapability)
          assert.deepStrictEqual(error.data, { requiredCapabilities: { elicitation: { [String(mode)]: {} } } })
          assert.deepStrictEqual(client.asked, [])
        }
        const client = yield* connect(revision, {})
        yield* client.call("tools/call", { name: "done" })
        assert.deepStrictEqual(yield* completions(client), [])
      })
  },
  {
    name: "MUST make a tool failure of a URL that the revision cannot send anybody to",
    applies: ({ wire }) => wire.elicitation === "plain",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, { url: {} })
        const result = yield* client.call("tools/call", { name: "pay" })
        assert.deepStrictEqual([result.isError, client.asked], [true, []])
        assert.include(texts(result)[0], "cannot send the user to a URL")
      })
  },
  {
    name: "MAY refuse a request until the user has been to a URL, by -32042",
    applies: ({ wire }) => wire.elicitationIds,
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* connect(revision, { url: {} })
        const error = yield* client.error("resources/read", { uri: "test://members" })
        assert.deepStrictEqual(error, { code: refusal.code, message: refusal.message, data: refusal.data })
      })
  }
]
