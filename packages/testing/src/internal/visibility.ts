/** The rules of what is offered to some principals only: for the rest it does not exist. */
import { assert } from "@effect/vitest"
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Principal from "@mcp-effect/protocol/Principal"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as Tool from "@mcp-effect/protocol/Tool"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"

const text = () => Effect.succeed("hello")

const hidden = { visibleTo: (principal: Principal.Principal | undefined) => principal?.subject === "ada" }

const features = Layer.mergeAll(
  McpServer.tool(Tool.make("open"), text),
  McpServer.tool(Tool.make("hidden"), text, hidden),
  McpServer.prompt(Prompt.make("open"), text),
  McpServer.prompt(Prompt.make("hidden"), text, hidden),
  McpServer.resource(Resource.make({ uri: "test://open", name: "open" }), text),
  McpServer.resource(Resource.make({ uri: "test://hidden", name: "hidden" }), text, hidden),
  McpServer.resourceTemplate(Resource.template("open://{id}", { name: "open" }), text),
  McpServer.resourceTemplate(Resource.template("hidden://{id}", { name: "hidden" }), text, hidden)
)

const lists = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"]
] as const

// What asks for one of each kind.
const uses = (which: string): ReadonlyArray<readonly [method: string, params: JsonRpc.Params]> => [
  ["tools/call", { name: which }],
  ["prompts/get", { name: which }],
  ["resources/read", { uri: `test://${which}` }],
  ["resources/read", { uri: `${which}://1` }]
]

const names = (client: RawClient.RawClient) =>
  Effect.forEach(lists, ([method, member]) =>
    Effect.map(
      client.result(method),
      (result) => (result[member] as ReadonlyArray<JsonRpc.Params>).map(({ name }) => name).join()
    ))

const sees = (client: RawClient.RawClient) =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* names(client), lists.map(() => "hidden,open"))
    for (const [method, params] of [...uses("open"), ...uses("hidden")]) yield* client.result(method, params)
  })

const seesNothing = (client: RawClient.RawClient) =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* names(client), lists.map(() => "open"))
    for (const [method, params] of uses("open")) yield* client.result(method, params)
    const unheard = uses("unheard")
    for (const [index, [method, params]] of uses("hidden").entries()) {
      const error = yield* client.error(method, params)
      const unknown = yield* client.error(method, unheard[index]?.[1])
      // The very words of what does not exist.
      assert.strictEqual(JSON.stringify(error), JSON.stringify(unknown).replaceAll("unheard", "hidden"), method)
    }
  })

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST neither list nor hand out to nobody in particular what is offered to somebody",
    features,
    test: (revision) => Effect.flatMap(RawClient.connect(revision.name), seesNothing)
  },
  {
    name: "MUST offer each principal what is there for them, and nothing else",
    features,
    principals: true,
    test: (revision, as) =>
      Effect.gen(function*() {
        const connected = RawClient.connect(revision.name)
        yield* as(Principal.make({ subject: "ada" }))(Effect.flatMap(connected, sees))
        yield* as(Principal.make({ subject: "bob" }))(Effect.flatMap(connected, seesNothing))
      })
  }
]
