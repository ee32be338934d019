/** What is suggested for arguments of prompts and variables of templates. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type { Completer } from "@mcp-effect/server/Completer"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { connect, hello, serve, speak } from "./client.ts"
import { byPrefix, client, complete, none, ofPrompt, ofResource, Review, whole } from "./completing.ts"

const review = McpServer.prompt(Review, () => Effect.succeed(""), {
  complete: {
    language: byPrefix,
    framework: (value, { arguments: { language } }) => Effect.succeed([`${language ?? "any"}:${value}`])
  }
})

const page = McpServer.resourceTemplate(
  Resource.template("wiki:///{lang}/{page}", {
    name: "page",
    variables: { lang: Schema.Literals(["en", "es", "de"]) }
  }),
  () => Effect.succeed(""),
  { complete: { page: (value, { arguments: { lang } }) => Effect.succeed([`${lang}/${value}`]) } }
)

describe.each(Revisions.all.map(({ name }) => name))("in %s", (revision) => {
  it.effect("the values of an argument MUST be those of its completer, given those before", () =>
    Effect.gen(function*() {
      const asking = yield* client(review, revision)
      const language = { name: "language", value: "p" }
      assert.deepStrictEqual(yield* complete(asking, ofPrompt("review", language)), whole(["python", "pascal"]))
      const framework = ofPrompt("review", { name: "framework", value: "f" }, {
        context: { arguments: { language: "rust" } }
      })
      assert.deepStrictEqual(yield* complete(asking, framework), whole(["rust:f"]))
      const alone = ofPrompt("review", { name: "framework", value: "f" }, { context: {} })
      assert.deepStrictEqual(yield* complete(asking, alone), whole(["any:f"]))
    }))

  it.effect("a server with nothing to suggest MUST NOT have the method", () =>
    Effect.gen(function*() {
      const asking = yield* client(none, revision)
      const { code } = yield* asking.error("completion/complete", ofPrompt("none", { name: "a", value: "" }))
      assert.strictEqual(code, JsonRpc.METHOD_NOT_FOUND)
    }))

  it.effect("the capability MUST be declared where the revision has it", () =>
    Effect.gen(function*() {
      const declared = revision === "2024-11-05" ? undefined : {}
      for (const server of [yield* serve(page), yield* serve(Layer.empty, { declare: ["completions"] })]) {
        const { capabilities } = revision === "2026-07-28"
          ? yield* (yield* speak(server, revision)).result("server/discover")
          : yield* (yield* connect(server)).result("initialize", hello(revision))
        assert.deepStrictEqual((capabilities as JsonRpc.Params).completions, declared)
      }
    }))
})

describe("a reference to a resource", () => {
  it.effect("MUST be the text of a template, or a URI that it gives", () =>
    Effect.gen(function*() {
      const asking = yield* client(page)
      const argument = { name: "page", value: "a" }
      const context = { arguments: { lang: "en" } }
      for (const uri of ["wiki:///{lang}/{page}", "wiki:///en/x", "wiki:///fr/x"]) {
        assert.deepStrictEqual(yield* complete(asking, ofResource(uri, argument, { context })), whole(["en/a"]), uri)
      }
    }))

  it.effect("that several templates give MUST be of the one with the most literal text", () =>
    Effect.gen(function*() {
      const template = (text: string) =>
        McpServer.resourceTemplate(Resource.template(text, { name: text }), () => Effect.succeed(""), {
          complete: { b: () => Effect.succeed([text]) }
        })
      const asking = yield* client(Layer.mergeAll(template("a:{+b}"), template("a:long/{b}")))
      const suggested = (uri: string) => complete(asking, ofResource(uri, { name: "b", value: "" }))
      assert.deepStrictEqual(yield* suggested("a:long/1"), whole(["a:long/{b}"]))
      assert.deepStrictEqual(yield* suggested("a:short/1"), whole(["a:{+b}"]))
    }))
})

describe("without a completer", () => {
  it.effect("an argument that is one of a few texts MUST be completed with those that begin with the value", () =>
    Effect.gen(function*() {
      const asking = yield* client(Layer.merge(review, page))
      const style = (value: string) => complete(asking, ofPrompt("review", { name: "style", value }))
      assert.deepStrictEqual(yield* style("S"), whole(["strict", "Sloppy", "stern"]))
      assert.deepStrictEqual(yield* style("ST"), whole(["strict", "stern"]))
      assert.deepStrictEqual(yield* style("x"), whole([]))
      const lang = ofResource("wiki:///{lang}/{page}", { name: "lang", value: "e" })
      assert.deepStrictEqual(yield* complete(asking, lang), whole(["en", "es"]))
    }))

  it.effect("an argument that is one of a few texts MUST be enough for the method to exist", () =>
    Effect.gen(function*() {
      const layer = McpServer.prompt(
        Prompt.make("p", { arguments: { a: Schema.Literals(["x", "y"]) } }),
        () => Effect.succeed("")
      )
      const asking = yield* client(layer)
      assert.deepStrictEqual(yield* complete(asking, ofPrompt("p", { name: "a", value: "" })), whole(["x", "y"]))
    }))

  it.effect("its own completer MUST go before the texts of the schema", () =>
    Effect.gen(function*() {
      const layer = McpServer.prompt(
        Prompt.make("p", { arguments: { a: Schema.Literals(["x", "y"]) } }),
        () => Effect.succeed(""),
        { complete: { a: () => Effect.succeed(["y"]) } }
      )
      const asking = yield* client(layer)
      assert.deepStrictEqual(yield* complete(asking, ofPrompt("p", { name: "a", value: "x" })), whole(["y"]))
    }))

  it.effect("any other argument MUST have no values", () =>
    Effect.gen(function*() {
      const asking = yield* client(review)
      const notes = ofPrompt("review", { name: "notes", value: "" })
      assert.deepStrictEqual(yield* complete(asking, notes), whole([]))
    }))
})

describe("the number of values", () => {
  const many = Array.from({ length: 150 }, (_, index) => String(index))

  const counted = (values: ReturnType<Completer>) =>
    Effect.flatMap(
      client(McpServer.prompt(Review, () => Effect.succeed(""), { complete: { language: () => values } })),
      (asking) => complete(asking, ofPrompt("review", { name: "language", value: "" }))
    )

  it.effect("MUST be 100 at the most, and MUST say how many there are", () =>
    Effect.gen(function*() {
      const first = many.slice(0, 100)
      assert.deepStrictEqual(yield* counted(Effect.succeed(many)), { values: first, total: 150, hasMore: true })
      assert.deepStrictEqual(yield* counted(Effect.succeed(first)), whole(first))
    }))

  it.effect("MUST say what the completer knows of the rest", () =>
    Effect.gen(function*() {
      const some = { values: ["a"], total: 7 }
      assert.deepStrictEqual(yield* counted(Effect.succeed(some)), { ...some, hasMore: true })
      const uncounted = { values: ["a"], hasMore: true }
      assert.deepStrictEqual(yield* counted(Effect.succeed(uncounted)), uncounted)
    }))
})

describe("a request that makes no sense", () => {
  const argument = { name: "language", value: "" }

  it.effect.each<{ what: string; params: JsonRpc.Params; says: string }>([
    { what: "of no prompt", params: ofPrompt("other", argument), says: "unknown prompt: other" },
    { what: "of no template", params: ofResource("x:///y", argument), says: "unknown resource template: x:///y" },
    {
      what: "of no argument",
      params: ofPrompt("review", { name: "constructor", value: "" }),
      says:
        "the prompt review has no argument \"constructor\"; it has \"language\", \"framework\", \"style\", \"notes\""
    },
    {
      what: "of no variable",
      params: ofResource("wiki:///en/a", { name: "uri", value: "" }),
      says: "the resource template wiki:///{lang}/{page} has no argument \"uri\"; it has \"lang\", \"page\""
    },
    { what: "without a reference", params: { argument }, says: "ref" },
    { what: "with a reference of no kind", params: { ref: { type: "ref/tool", name: "a" }, argument }, says: "ref" },
    { what: "without an argument", params: { ref: { type: "ref/prompt", name: "review" } }, says: "argument" },
    { what: "with no value", params: ofPrompt("review", { name: "language" }), says: "value" },
    { what: "with a value that is no text", params: ofPrompt("review", { name: "language", value: 1 }), says: "value" },
    {
      what: "with a context that is no texts",
      params: ofPrompt("review", argument, { context: { arguments: { a: 1 } } }),
      says: "context"
    }
  ])("$what MUST be answered with -32602, and with what is wrong", ({ params, says }) =>
    Effect.gen(function*() {
      const error = yield* (yield* client(Layer.merge(review, page))).error("completion/complete", params)
      assert.strictEqual(error.code, JsonRpc.INVALID_PARAMS)
      assert.match(error.message, /^Invalid params: /)
      assert.include(error.message, says)
    }))
})

describe("what is not for everybody", () => {
  const forAda = { visibleTo: (principal: Principal.Principal | undefined) => principal?.subject === "ada" }
  const ada = Effect.provideService(Principal.Principal, Principal.make({ subject: "ada" }))
  const secrets = Layer.merge(
    McpServer.prompt(Review, () => Effect.succeed(""), { ...forAda, complete: { language: byPrefix } }),
    McpServer.resourceTemplate(Resource.template("s:{a}", { name: "s" }), () => Effect.succeed(""), {
      ...forAda,
      complete: { a: byPrefix }
    })
  )

  it.effect("MUST NOT be completed for the rest, for whom it does not exist", () =>
    Effect.gen(function*() {
      const asking = yield* client(secrets, "2026-07-28")
      const all = [
        ofPrompt("review", { name: "language", value: "r" }),
        ofResource("s:{a}", { name: "a", value: "r" }),
        ofResource("s:1", { name: "a", value: "r" })
      ]
      for (const params of all) {
        const { code, message } = yield* asking.error("completion/complete", params)
        assert.strictEqual(code, JsonRpc.INVALID_PARAMS)
        assert.include(message, "unknown")
        assert.deepStrictEqual(yield* ada(complete(asking, params)), whole(["rust"]))
      }
    }))
})
