import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Client, serve, speak } from "./client.ts"

const add = (server: McpServer.McpServer["Service"], ...names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name) => McpServer.addTool(Tool.make(name, {}), () => Effect.void), { discard: true }).pipe(
    Effect.provideService(McpServer.McpServer, server)
  )

const serving = (names: ReadonlyArray<string>, options?: Partial<McpServer.Options>) =>
  Effect.tap(serve(undefined, options), (server) => add(server, ...names))

interface Page {
  readonly tools: ReadonlyArray<{ readonly name: string }>
  readonly nextCursor?: string
}

const page = (client: Client, cursor?: string) =>
  Effect.map(client.result("tools/list", cursor === undefined ? {} : { cursor }), (result): Page & JsonRpc.Params => ({
    ...result,
    tools: result.tools as Page["tools"]
  }))

const namesOf = (page: Page) => page.tools.map(({ name }) => name)

/** All pages; `between` runs after each. */
const pages = (
  client: Client,
  between: (index: number) => Effect.Effect<unknown, unknown, Scope.Scope> = () => Effect.void
) =>
  Effect.gen(function*() {
    const all: Array<ReadonlyArray<string>> = []
    let cursor: string | undefined
    do {
      const next: Page = yield* page(client, cursor)
      all.push(namesOf(next))
      cursor = next.nextCursor
      yield* between(all.length)
    } while (cursor !== undefined)
    return all
  })

const letters = ["a", "b", "c", "d", "e", "f", "g"]

describe("tools/list", () => {
  it.effect("MUST list by name, in the order of code units, whatever the order of registration", () =>
    Effect.gen(function*() {
      const server = yield* serving(["b", "a.b", "_", "Z", "a", "10", "9", "a-b", "B"])
      const client = yield* speak(server, "2025-11-25")
      assert.deepStrictEqual(
        namesOf(yield* page(client)),
        ["10", "9", "B", "Z", "_", "a", "a-b", "a.b", "b"]
      )
    }))

  it.effect.each([1, 2, 3, 6, 7, 8])(
    "in pages of %i MUST be complete, in order, and end",
    (pageSize) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serving(letters, { pageSize }), "2026-07-28")
        const all = yield* pages(client)
        assert.deepStrictEqual(all.flat(), letters)
        assert.deepStrictEqual(all.map(({ length }) => length), [
          ...Array.from({ length: Math.ceil(letters.length / pageSize) - 1 }, () => pageSize),
          letters.length % pageSize || pageSize
        ])
      })
  )

  it.effect("MUST be one page of up to 1000 tools by default", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 1001 }, (_, index) => `tool-${String(index).padStart(4, "0")}`)
      const client = yield* speak(yield* serving(many), "2025-11-25")
      assert.deepStrictEqual((yield* pages(client)).map(({ length }) => length), [1000, 1])
    }))

  it.effect("MUST keep its place, without duplicates, while tools are added and removed between pages", () =>
    Effect.gen(function*() {
      const server = yield* serve(undefined, { pageSize: 2 })
      const gone = yield* Scope.make()
      yield* add(server, "a", "c", "e", "g")
      yield* Scope.provide(add(server, "b", "d"), gone)
      const client = yield* speak(server, "2025-11-25")
      const all = yield* pages(client, (index) => {
        if (index !== 1) return Effect.void
        // The tool that the cursor stands on goes, one before it comes, and so does one after it.
        return Effect.andThen(Scope.close(gone, Exit.void), add(server, "aa", "f"))
      })
      assert.deepStrictEqual(all, [["a", "b"], ["c", "e"], ["f", "g"]])
    }))

  it.effect("MUST end when all that was left has gone between two pages", () =>
    Effect.gen(function*() {
      const server = yield* serve(undefined, { pageSize: 2 })
      const gone = yield* Scope.make()
      yield* add(server, "a", "b")
      yield* Scope.provide(add(server, "c", "d"), gone)
      const client = yield* speak(server, "2025-11-25")
      const all = yield* pages(client, (index) => index === 1 ? Scope.close(gone, Exit.void) : Effect.void)
      assert.deepStrictEqual(all, [["a", "b"], []])
    }))

  it.effect.each([
    "a",
    "",
    "!!!",
    "YWZ0ZXI",
    Base64Url.encode("before:a"),
    0,
    {},
    ["YWZ0ZXI6YQ"]
  ])("MUST answer the cursor %j, which is none of this server, with -32602", (cursor) =>
    Effect.gen(function*() {
      const client = yield* speak(yield* serving(letters, { pageSize: 2 }), "2025-11-25")
      const error = yield* client.error("tools/list", { cursor })
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
      assert.include(error.message, "cursor")
    }))
})

describe("the text of a list", () => {
  const answer = (client: Client, params?: JsonRpc.Params) =>
    Effect.map(client.ask("tools/list", params), (response) => {
      assert.ok(response._tag === "Success")
      return response
    })

  it.effect.each(["2025-11-25", "2026-07-28"] as const)(
    "MUST be made once, for all callers, until the registry changes (%s)",
    (revision) =>
      Effect.gen(function*() {
        const server = yield* serving(letters)
        const one = yield* answer(yield* speak(server, revision))
        const two = yield* answer(yield* speak(server, revision))
        assert.isString(one.text)
        assert.strictEqual(two.result, one.result)
        yield* add(server, "new")
        const three = yield* answer(yield* speak(server, revision))
        assert.notStrictEqual(three.result, one.result)
        assert.include(three.text, "\"new\"")
      })
  )

  it.effect("MUST be the JSON of the result, in the words of each revision and for each page", () =>
    Effect.gen(function*() {
      const server = yield* serving(letters, { pageSize: 4, title: "Its own" })
      const texts = new Set<string>()
      for (const { name } of Revisions.all) {
        const client = yield* speak(server, name)
        const first = yield* answer(client)
        const second = yield* answer(client, { cursor: first.result.nextCursor })
        for (const { result, text } of [first, second]) {
          assert.deepStrictEqual(JSON.parse(text ?? ""), result)
          texts.add(text ?? "")
        }
        assert.strictEqual("resultType" in first.result, name === "2026-07-28")
      }
      // The two pages, plain and typed.
      assert.strictEqual(texts.size, 4)
    }))

  it.effect("MUST NOT be shared by servers of one set of tools, which say who they are", () =>
    Effect.gen(function*() {
      const infoOf = (name: string) =>
        Effect.gen(function*() {
          const client = yield* speak(yield* serving(["a"], { name }), "2026-07-28")
          return JSON.stringify((yield* answer(client)).result._meta)
        })
      assert.include(yield* infoOf("one"), "\"one\"")
      assert.include(yield* infoOf("two"), "\"two\"")
    }))
})

describe("a tool", () => {
  const tool = (name: string) => McpServer.tool(Tool.make(name, {}), () => Effect.succeed(name))

  it.effect("MUST fail its layer when its name is taken, and say which", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(serve(Layer.mergeAll(tool("twice"), tool("twice"))))
      assert.strictEqual(error._tag, "RegistrationError")
      assert.strictEqual(error.key, "twice")
      assert.include(error.message, "already a tool named \"twice\"")
    }))

  it.effect.each(["", "a b", "a/b", "ä", "a\n", "x".repeat(129), "__proto__ "])(
    "MUST fail its layer when its name is the ill-formed %j, and say what is allowed",
    (name) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(serve(tool(name)))
        assert.strictEqual(error._tag, "RegistrationError")
        assert.include(error.message, JSON.stringify(name))
        assert.include(error.message, "1 to 128")
      })
  )

  it.effect.each(["x".repeat(128), "a", "A_b-c.9", "__proto__", "constructor"])(
    "MAY be named %s",
    (name) =>
      Effect.gen(function*() {
        const client = yield* speak(yield* serve(tool(name)), "2025-11-25")
        assert.deepStrictEqual(namesOf(yield* page(client)), [name])
        assert.deepStrictEqual((yield* client.call(name)).content, [{ type: "text", text: name }])
      })
  )

  it.effect("MUST be gone, and its name free, when its scope closes", () =>
    Effect.gen(function*() {
      const server = yield* serving(["stays"])
      const client = yield* speak(server, "2025-11-25")
      for (let round = 0; round < 2; round++) {
        const scope = yield* Scope.make()
        yield* Scope.provide(add(server, "goes"), scope)
        assert.deepStrictEqual(namesOf(yield* page(client)), ["goes", "stays"])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(namesOf(yield* page(client)), ["stays"])
        const error = yield* client.error("tools/call", { name: "goes" })
        assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
        assert.include(error.message, "goes")
      }
    }))

  it.effect("that could not be added MUST NOT take the one of that name with it when its scope closes", () =>
    Effect.gen(function*() {
      const server = yield* serving(["kept"])
      const scope = yield* Scope.make()
      yield* Effect.flip(Scope.provide(add(server, "kept"), scope))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(namesOf(yield* page(yield* speak(server, "2025-11-25"))), ["kept"])
    }))
})
