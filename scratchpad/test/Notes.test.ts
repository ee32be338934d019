/** The notes, driven in raw messages in both eras; and over HTTP, as a user would run them. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@mcp-effect/client"
import { StreamableHttpClient } from "@mcp-effect/http"
import { InMemory } from "@mcp-effect/memory"
import { type JsonRpc, Meta, Principal } from "@mcp-effect/protocol"
import { RawClient } from "@mcp-effect/testing"
import { Effect, Layer, Queue } from "effect"
import { fileURLToPath } from "node:url"
import { Notes } from "../notes/Notes.ts"
import { AuditTrail, NotesServer } from "../notes/Server.ts"
import { freePort, start } from "./children.ts"

type Params = JsonRpc.Params

const rent = { topic: "home", title: "Rent", text: "Is due on the first." } as const

const asked: RawClient.Answers = {
  "elicitation/create": () => Effect.succeed({ action: "accept", content: { title: "Cat", tone: "warm" } }),
  "sampling/createMessage": () =>
    Effect.succeed({ role: "assistant", model: "m", content: { type: "text", text: "Dear cat" } })
}

const capabilities = { elicitation: { form: {} }, sampling: {} }

interface Given {
  readonly connect: (answers?: RawClient.Answers) => ReturnType<typeof RawClient.connect>
  readonly stateful: boolean
  /** The audit trail so far. */
  readonly trail: ReadonlyArray<string>
}

type Services = Notes | Effect.Services<ReturnType<typeof RawClient.connect>>

/** A test of the server with one note in it, in the newest revision of each era. */
const inBothEras = (name: string, test: (given: Given) => Effect.Effect<void, unknown, Services>) => {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    it.effect(`${name}: ${revision}`, () => {
      const trail: Array<string> = []
      const connect: Given["connect"] = (answers = asked) => RawClient.connect(revision, { capabilities, answers })
      return Notes.use(({ save }) => save(rent)).pipe(
        Effect.andThen(test({ connect, stateful: revision === "2025-11-25", trail })),
        Effect.scoped,
        Effect.provide(InMemory.layer.pipe(Layer.provideMerge(NotesServer))),
        Effect.provideService(AuditTrail, (line) => Effect.sync(() => void trail.push(line)))
      )
    })
  }
}

const editor = Principal.make({ subject: "ada", scopes: ["notes:edit"] })

const draft = { name: "draft", arguments: { topic: "home", about: "the cat" } }

const textOf = (result: Params): unknown => (result.content as ReadonlyArray<Params>)[0]?.text
const names = (result: Params, member: string) => (result[member] as ReadonlyArray<Params>).map(({ name }) => name)

describe("scratchpad/notes", () => {
  inBothEras(
    "MUST list the notes, read each, and have nothing where there is none",
    ({ connect }) =>
      Effect.gen(function*() {
        const client = yield* connect()
        const index = yield* client.result("resources/read", { uri: "notes://index" })
        assert.deepInclude((index.contents as ReadonlyArray<Params>)[0], {
          mimeType: "text/markdown",
          text: "# Notes\n- [Rent](notes://home/Rent)"
        })
        const note = yield* client.result("resources/read", { uri: "notes://home/Rent" })
        assert.deepInclude((note.contents as ReadonlyArray<Params>)[0], { text: rent.text })
        const error = yield* client.error("resources/read", { uri: "notes://home/Cat" })
        assert.strictEqual(error.code, client.revision.wire.resourceNotFound)
        assert.deepStrictEqual(names(yield* client.result("resources/templates/list"), "resourceTemplates"), ["note"])
      })
  )

  inBothEras(
    "MUST complete titles within the topic that was given, and topics by themselves",
    ({ connect }) =>
      Effect.gen(function*() {
        const client = yield* connect()
        const complete = (ref: Params, name: string, value: string, given: Params = {}) =>
          Effect.map(
            client.result("completion/complete", { ref, argument: { name, value }, context: { arguments: given } }),
            ({ completion }) => (completion as Params).values
          )
        for (
          const ref of [{ type: "ref/resource", uri: "notes://{topic}/{title}" }, {
            type: "ref/prompt",
            name: "discuss"
          }]
        ) {
          assert.deepStrictEqual(yield* complete(ref, "topic", "wo"), ["work"])
          assert.deepStrictEqual(yield* complete(ref, "title", "R"), ["Rent"])
          assert.deepStrictEqual(yield* complete(ref, "title", "R", { topic: "work" }), [])
        }
      })
  )

  inBothEras("MUST make a prompt of a note, with its typed arguments", ({ connect }) =>
    Effect.gen(function*() {
      const client = yield* connect()
      const args = { topic: "home", title: "Rent", points: "2" }
      const { messages } = yield* client.result("prompts/get", { name: "discuss", arguments: args })
      assert.deepInclude((messages as ReadonlyArray<Params>)[1], {
        content: { type: "text", text: "Make 2 points about this note." }
      })
      const error = yield* client.error("prompts/get", { name: "discuss", arguments: { ...args, points: "many" } })
      assert.include(error.message, "points")
    }))

  inBothEras(
    "MUST ask the user, then a model, under one number, and save what they say",
    ({ connect }) =>
      Effect.gen(function*() {
        const client = yield* connect()
        const { content } = yield* client.call("tools/call", draft)
        assert.deepStrictEqual(content, [{ type: "resource_link", uri: "notes://home/Cat", name: "Cat" }])
        assert.deepStrictEqual(client.asked.map(({ params: { message, messages } }) => message ?? messages), [
          "Draft 1 is about the cat. How is it to be?",
          [{ role: "user", content: { type: "text", text: "A warm note about the cat" } }]
        ])
        assert.strictEqual((yield* Notes.use(({ find }) => find("home", "Cat"))).text, "Dear cat")
        assert.strictEqual(yield* Notes.use(({ nextNumber }) => nextNumber), 2)
      })
  )

  inBothEras("MUST write nothing if the user does not want it", ({ connect }) =>
    Effect.gen(function*() {
      const client = yield* connect({ "elicitation/create": () => Effect.succeed({ action: "decline" }) })
      assert.strictEqual(textOf(yield* client.call("tools/call", draft)), "Nothing was written")
      assert.deepStrictEqual(yield* Notes.use(({ all }) => all), [rent])
    }))

  inBothEras(
    "MUST tell those who watch the list that it has changed, and log to those who want it",
    ({ connect, stateful }) =>
      Effect.gen(function*() {
        const client = yield* connect()
        if (stateful) {
          yield* client.result("resources/subscribe", { uri: "notes://index" })
        } else {
          const notifications = { resourceSubscriptions: ["notes://index"] }
          yield* Effect.forkChild(client.result("subscriptions/listen", { notifications }))
          yield* Queue.take(client.tied)
        }
        yield* client.call("tools/call", stateful ? draft : { ...draft, _meta: { [Meta.LOG_LEVEL]: "info" } })
        const log = yield* Queue.take(client.heard)
        assert.deepStrictEqual([log.method, log.params?.data], ["notifications/message", "Wrote \"Cat\""])
        const update = yield* Queue.take(stateful ? client.heard : client.tied)
        assert.deepStrictEqual([update.method, update.params?.uri], [
          "notifications/resources/updated",
          "notes://index"
        ])
      })
  )

  inBothEras(
    "MUST let editors remove notes, and others not know that one can",
    ({ connect }) =>
      Effect.gen(function*() {
        const remove = { name: "remove", arguments: { topic: "home", title: "Rent" } }
        const reader = yield* connect()
        assert.deepStrictEqual(names(yield* reader.result("tools/list"), "tools"), ["draft"])
        yield* reader.error("tools/call", remove)
        yield* Effect.gen(function*() {
          const client = yield* connect()
          assert.deepStrictEqual(names(yield* client.result("tools/list"), "tools"), ["draft", "remove"])
          assert.strictEqual(textOf(yield* client.result("tools/call", remove)), "Removed \"Rent\"")
          assert.strictEqual((yield* client.result("tools/call", remove)).isError, true)
        }).pipe(Effect.provideService(Principal.Principal, editor))
        assert.deepStrictEqual(yield* Notes.use(({ all }) => all), [])
      })
  )

  inBothEras(
    "MUST write down who has asked for what, and what became of it",
    ({ connect, trail }) =>
      Effect.gen(function*() {
        const client = yield* connect()
        yield* client.result("resources/list")
        const asEditor = Effect.provideService(Principal.Principal, editor)
        yield* Effect.flatMap(connect(), (client) => client.error("prompts/get", { name: "none" })).pipe(asEditor)
        assert.includeMembers([...trail], ["somebody: resources/list ok", "ada: prompts/get failed"])
      })
  )

  it("MUST know the editor by a token over HTTP, and refuse another token", async () => {
    const port = await freePort()
    const script = fileURLToPath(new URL("../notes/http.ts", import.meta.url))
    const server = await start(script, { env: { PORT: String(port), NOTES_TOKEN: "open sesame" } })
    const tools = (headers: Record<string, string>) =>
      Effect.flatMap(McpClient.McpClient, (mcp) => mcp.listTools()).pipe(
        Effect.map((tools) => tools.map(({ name }) => name)),
        Effect.provide(McpClient.layer({ name: "test", version: "1.0.0" })),
        Effect.provide(StreamableHttpClient.layer({ url: `http://127.0.0.1:${port}/mcp`, headers })),
        Effect.provide(NodeHttpClient.layerUndici),
        Effect.runPromise
      )
    try {
      assert.deepStrictEqual(await tools({}), ["draft"])
      assert.deepStrictEqual(await tools({ authorization: "Bearer open sesame" }), ["draft", "remove"])
      const refused = await tools({ authorization: "Bearer guess" }).then(() => "let in", String)
      assert.include(refused, "401")
    } finally {
      await server.stop()
    }
  }, 30_000)
})
