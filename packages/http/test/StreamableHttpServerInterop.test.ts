/** The official clients of Streamable HTTP against our server, in both eras. */
import { assert, describe, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { features, serve } from "./interopTools.ts"

const info = { name: "interop", version: "1.0.0" }

const capabilities = { elicitation: { form: {} }, sampling: {} }

const form = { action: "accept" as const, content: { name: "Ada" } }

const message = (
  { params }: { readonly params: { readonly messages: ReadonlyArray<{ readonly content: unknown }> } }
) => ({
  role: "assistant" as const,
  model: "poet",
  content: { type: "text" as const, text: JSON.stringify(params.messages[0]?.content) }
})

const poem = [{ type: "text" as const, text: JSON.stringify({ type: "text", text: "A poem for Ada" }) }]

const names = ["add", "count", "grow", "poem", "wait"]

const failure = (call: Promise<unknown>): Promise<string> => call.then(() => "none", String)

/** Serves, and closes the client before the server. */
const serving = <C extends { readonly close: () => Promise<void> }>(
  connect: (url: URL) => Promise<C>,
  test: (client: C, interrupted: Promise<void>) => Promise<void>
) =>
  Effect.scoped(Effect.gen(function*() {
    const interrupted = yield* Deferred.make<void>()
    const tools = features(Effect.asVoid(Deferred.succeed(interrupted, undefined)))
    const port = yield* serve(tools)
    yield* Effect.promise(async () => {
      const client = await connect(new URL(`http://127.0.0.1:${port}/mcp`))
      try {
        await test(client, Effect.runPromise(Deferred.await(interrupted)))
      } finally {
        await client.close()
      }
    })
  }))

describe("the official client, version 1", () => {
  const withClient = (
    test: (client: ClientV1, interrupted: Promise<void>, transport: TransportV1) => Promise<void>
  ) => {
    let transport: TransportV1 | undefined
    return serving(async (url) => {
      const client = new ClientV1(info, { capabilities })
      client.setRequestHandler(ElicitRequestSchema, () => form)
      client.setRequestHandler(CreateMessageRequestSchema, message)
      transport = new TransportV1(url)
      // Its types are not made for exact optional properties.
      await client.connect(transport as Parameters<typeof client.connect>[0])
      return client
    }, async (client, interrupted) => {
      if (transport !== undefined) await test(client, interrupted, transport)
    })
  }

  it.live("MUST list and call our tools, with progress, and be able to end its session", () =>
    withClient(async (client, _, transport) => {
      assert.strictEqual(transport.protocolVersion, "2025-11-25")
      const { tools } = await client.listTools()
      assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), names)
      const add = await client.callTool({ name: "add", arguments: { a: 20, b: 22 } })
      assert.deepStrictEqual(add.structuredContent, { sum: 42 })
      const seen: Array<number> = []
      const count = await client.callTool({ name: "count", arguments: { to: 3 } }, undefined, {
        onprogress: ({ progress }) => seen.push(progress)
      })
      assert.deepStrictEqual([count.structuredContent, seen], [{ counted: 3 }, [1, 2, 3]])
      const wrong = await client.callTool({ name: "add", arguments: { a: "one" } })
      assert.strictEqual(wrong.isError, true)
      const unknown = await failure(client.callTool({ name: "unknown", arguments: {} }))
      assert.include(unknown, "-32602")
      await transport.terminateSession()
      assert.isUndefined(transport.sessionId)
    }))

  it.live("MUST answer a handler that asks twice", () =>
    withClient(async (client) => {
      assert.deepStrictEqual((await client.callTool({ name: "poem", arguments: {} })).content, poem)
    }))

  it.live("MUST interrupt our handler when it aborts a call", () =>
    withClient(async (client, interrupted) => {
      const abort = new AbortController()
      const failed = failure(client.callTool({ name: "wait", arguments: {} }, undefined, { signal: abort.signal }))
      await client.ping()
      abort.abort("enough")
      await interrupted
      assert.include(await failed, "enough")
    }))

  it.live("MUST hear of a tool that comes later", () =>
    withClient(async (client) => {
      const changed = new Promise<void>((resolve) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
      )
      await client.callTool({ name: "grow", arguments: {} })
      await changed
      assert.include((await client.listTools()).tools.map(({ name }) => name), "later")
    }))
})

describe.each([{ mode: "legacy", revision: "2025-11-25" }, { mode: "auto", revision: "2026-07-28" }] as const)(
  "the official client, version 2, in mode $mode",
  ({ mode, revision }) => {
    const withClient = (
      test: (client: ClientV2, interrupted: Promise<void>) => Promise<void>,
      onChanged: () => void = () => {}
    ) =>
      serving(async (url) => {
        const client = new ClientV2(info, {
          versionNegotiation: { mode },
          capabilities,
          listChanged: { tools: { onChanged } }
        })
        client.setRequestHandler("elicitation/create", () => form)
        client.setRequestHandler("sampling/createMessage", message)
        await client.connect(new TransportV2(url))
        return client
      }, test)

    it.live("MUST list and call our tools, with progress", () =>
      withClient(async (client) => {
        assert.strictEqual(client.getNegotiatedProtocolVersion(), revision)
        const { tools } = await client.listTools()
        assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), names)
        const add = await client.callTool({ name: "add", arguments: { a: 20, b: 22 } })
        assert.deepStrictEqual(add.structuredContent, { sum: 42 })
        const seen: Array<number> = []
        const count = await client.callTool({ name: "count", arguments: { to: 3 } }, {
          onprogress: ({ progress }) => seen.push(progress)
        })
        assert.deepStrictEqual([count.structuredContent, seen], [{ counted: 3 }, [1, 2, 3]])
        const wrong = await client.callTool({ name: "add", arguments: { a: "one" } })
        assert.strictEqual(wrong.isError, true)
      }))

    it.live("MUST answer a handler that asks twice", () =>
      withClient(async (client) => {
        assert.deepStrictEqual((await client.callTool({ name: "poem", arguments: {} })).content, poem)
      }))

    it.live("MUST interrupt our handler when it aborts a call", () =>
      withClient(async (client, interrupted) => {
        const abort = new AbortController()
        const failed = failure(client.callTool({ name: "wait", arguments: {} }, { signal: abort.signal }))
        // The call is under way when another one is answered.
        await client.listTools()
        abort.abort("enough")
        await interrupted
        assert.include(await failed, "enough")
      }))

    it.live("MUST hear of a tool that comes later", () => {
      let heard: () => void = () => {}
      const changed = new Promise<void>((resolve) => heard = resolve)
      return withClient(async (client) => {
        await client.callTool({ name: "grow", arguments: {} })
        await changed
        assert.include((await client.listTools()).tools.map(({ name }) => name), "later")
      }, () => heard())
    })
  }
)
