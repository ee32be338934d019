/** What the server says to plain HTTP requests, on real sockets. */
import { assert, describe, it } from "@effect/vitest"
import type * as SseServer from "@mcp-effect/http/SseServer"
import { Elicitation, Limits, Principal, Tool } from "@mcp-effect/protocol"
import { ClientInput, McpServer } from "@mcp-effect/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Sse from "./sse.ts"

const Echo = Tool.make("echo", { input: { text: Schema.String } })

const tools = Layer.mergeAll(
  McpServer.tool(Echo, ({ text }) => Effect.succeed(text)),
  McpServer.tool(Tool.make("whoami"), () => Effect.map(Principal.Principal, (who) => who?.subject ?? "nobody")),
  McpServer.tool(
    Tool.make("count"),
    () => Stream.make(Tool.progress({ progress: 1 }), Tool.progress({ progress: 2 }), Tool.part("done"))
  ),
  McpServer.tool(Tool.make("poll"), () =>
    Effect.map(
      ClientInput.elicit(Elicitation.form({ message: "Who are you?", fields: { name: Schema.String } })),
      (answer) => answer._tag === "Accept" ? answer.content.name : answer._tag
    ))
)

const withServer = <A>(test: (port: number) => Promise<A>, options: SseServer.Options = {}, prefix?: string) =>
  Effect.scoped(
    Effect.flatMap(Sse.serve(tools, options, undefined, prefix), (port) => Effect.promise(() => test(port)))
  )

const textOf = (message: Record<string, unknown>) =>
  (message as { result?: { content?: ReadonlyArray<{ text?: string }> } }).result?.content?.[0]?.text

const errorOf = (text: string) => (JSON.parse(text) as { error: { code: number; message: string } }).error

describe("the event stream", () => {
  it.live("MUST begin with the URI to send messages to, which names an unguessable session", () =>
    withServer(async (port) => {
      const a = await Sse.open(port)
      const b = await Sse.open(port)
      assert.strictEqual(a.stream.status, 200)
      assert.strictEqual(a.stream.headers["content-type"], "text/event-stream")
      assert.strictEqual(a.stream.headers["cache-control"], "no-cache, no-transform")
      assert.match(a.endpoint, /^\/messages\?sessionId=[\w-]{36}$/)
      assert.notStrictEqual(a.endpoint, b.endpoint)
      for (const { stream } of [a, b]) stream.drop()
    }))

  it.live("MUST name a URI under the prefix of the router, and under what the prefix matched", () =>
    withServer(
      async (port) => {
        const client = await Sse.open(port, {}, "/api/acme/sse?x=1")
        assert.match(client.endpoint, /^\/api\/acme\/messages\?sessionId=/)
        assert.strictEqual((await client.say(Sse.initialize("2024-11-05"))).status, 202)
        assert.property(await client.stream.message(), "result")
        client.stream.drop()
      },
      {},
      "/api/:tenant"
    ))

  it.live("MUST serve at the paths of the options, which may be one", () =>
    withServer(async (port) => {
      const client = await Sse.open(port, {}, "/mcp")
      assert.match(client.endpoint, /^\/mcp\?sessionId=/)
      assert.strictEqual((await client.say(Sse.initialize("2024-11-05"))).status, 202)
      assert.property(await client.stream.message(), "result")
      const other = await Sse.ask(port, "PUT", "/mcp")
      assert.deepStrictEqual([other.status, other.headers.allow], [405, "GET, POST"])
      client.stream.drop()
    }, { ssePath: "/mcp", messagePath: "/mcp" }))

  it.live("MUST carry all that the server says as message events, and POSTs nothing but that they were accepted", () =>
    withServer(async (port) => {
      const client = await Sse.connect(port)
      const response = await client.say(Sse.call(1, "count", {}, { progressToken: "t" }))
      assert.deepStrictEqual([response.status, response.text], [202, "Accepted"])
      const messages = [await client.stream.message(), await client.stream.message(), await client.stream.message()]
      assert.deepStrictEqual(messages.map(({ id, method }) => method ?? id), [
        "notifications/progress",
        "notifications/progress",
        1
      ])
      client.stream.drop()
    }))

  it.live("MUST be kept open by comments while nothing is said", () =>
    withServer(async (port) => {
      const client = await Sse.open(port)
      while (client.stream.comments.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      client.stream.drop()
    }, { heartbeat: 20 }))

  it.live("MUST be refused with 503 when there are as many as there may be, until one of them has ended", () =>
    withServer(async (port) => {
      const first = await Sse.open(port)
      const second = await Sse.ask(port, "GET", "/sse")
      assert.deepStrictEqual([second.status, second.headers["retry-after"]], [503, "10"])
      first.stream.drop()
      let third = await Sse.send(port, "GET", "/sse")
      while (third.status === 503) third = await Sse.send(port, "GET", "/sse")
      assert.strictEqual(third.status, 200)
      third.drop()
    }, { max: 1 }))

  it.live("MUST be refused with 405 to other methods, and with 406 to a client that accepts no events", () =>
    withServer(async (port) => {
      for (const method of ["POST", "DELETE", "PUT", "HEAD"]) {
        const response = await Sse.ask(port, method, "/sse")
        assert.deepStrictEqual([response.status, response.headers.allow], [405, "GET"], method)
      }
      assert.strictEqual((await Sse.ask(port, "GET", "/sse", { accept: "application/json" })).status, 406)
    }))
})

describe("a message", () => {
  it.live("MUST be refused with 404 for an unknown session, and with 400 for none or several", () =>
    withServer(async (port) => {
      assert.strictEqual((await Sse.post(port, "/messages?sessionId=nobody", Sse.initialized)).status, 404)
      for (const query of ["", "?sessionid=x", "?sessionId=a&sessionId=b"]) {
        const response = await Sse.post(port, `/messages${query}`, Sse.initialized)
        assert.strictEqual(response.status, 400, query)
        assert.include(errorOf(response.text).message, "sessionId")
      }
    }))

  it.live("MUST be refused with 405 for another method, 415 for another type, 413 when it is too large", () =>
    withServer(async (port) => {
      const client = await Sse.open(port)
      for (const method of ["GET", "DELETE"]) {
        const response = await Sse.ask(port, method, client.endpoint)
        assert.deepStrictEqual([response.status, response.headers.allow], [405, "POST"])
      }
      const text = await Sse.post(port, client.endpoint, "{}", { "content-type": "text/plain" })
      assert.strictEqual(text.status, 415)
      const large = await Sse.post(port, client.endpoint, Sse.call(1, "echo", { text: "x".repeat(2000) }))
      assert.strictEqual(large.status, 413)
      // The session goes on.
      assert.strictEqual((await client.say(Sse.initialize("2024-11-05"))).status, 202)
      client.stream.drop()
    }).pipe(Effect.provideService(Limits.Limits, { ...Limits.defaults, messageBytes: 1000 })))

  it.live("MUST be refused with 408 when its body does not come in time", () =>
    withServer(async (port) => {
      const client = await Sse.open(port)
      const headers = { "content-type": "application/json", "content-length": "100" }
      assert.strictEqual((await Sse.ask(port, "POST", client.endpoint, headers, "{")).status, 408)
      client.stream.drop()
    }, { bodyTimeout: 40 }))

  it.live("MUST be refused with 400 when it is none, in the words of JSON-RPC, and nothing is said of it on the stream", () =>
    withServer(async (port) => {
      const client = await Sse.connect(port)
      for (const [body, code] of [["{", -32700], ["42", -32600], ["[]", -32600]] as const) {
        const response = await client.say(body)
        assert.deepStrictEqual([response.status, errorOf(response.text).code], [400, code])
      }
      await client.say(Sse.call(1, "echo", { text: "next" }))
      assert.strictEqual(textOf(await client.stream.message()), "next")
      client.stream.drop()
    }))

  it.live("MUST NOT depend on what its client accepts", () =>
    withServer(async (port) => {
      const client = await Sse.open(port)
      const response = await Sse.post(port, client.endpoint, Sse.initialize("2024-11-05"), { accept: "text/plain" })
      assert.strictEqual(response.status, 202)
      client.stream.drop()
    }))
})

describe("a request from elsewhere", () => {
  const foreign = [{ host: "evil.example" }, { origin: "https://evil.example" }, { host: "127.0.0.1.evil.example" }]

  it.live("MUST be refused with 403, to whatever path and session, before anything else is wrong with it", () =>
    withServer(async (port) => {
      const client = await Sse.open(port)
      for (const headers of foreign) {
        assert.strictEqual((await Sse.ask(port, "GET", "/sse", headers)).status, 403)
        assert.strictEqual((await Sse.post(port, client.endpoint, Sse.initialize("2024-11-05"), headers)).status, 403)
        assert.strictEqual((await Sse.ask(port, "DELETE", "/messages", headers)).status, 403)
      }
      const local = await Sse.post(port, client.endpoint, Sse.initialize("2024-11-05"), {
        host: "localhost",
        origin: `http://localhost:${port}`
      })
      assert.strictEqual(local.status, 202)
      client.stream.drop()
    }))

  it.live("MUST be served where the options allow it", () =>
    withServer(async (port) => {
      const headers = { host: "mcp.example", origin: "https://app.example" }
      const client = await Sse.open(port, headers)
      assert.strictEqual((await client.say(Sse.initialize("2024-11-05"))).status, 202)
      assert.strictEqual(
        (await Sse.ask(port, "GET", "/sse", { ...headers, origin: "https://evil.example" })).status,
        403
      )
      client.stream.drop()
    }, { allowedHosts: ["mcp.example"], allowedOrigins: ["https://app.example"] }))
})

describe("a session", () => {
  it.live.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "MUST speak %s",
    (revision) =>
      withServer(async (port) => {
        const client = await Sse.connect(port, { revision })
        await client.say(Sse.call("a", "echo", { text: "hello" }))
        assert.strictEqual(textOf(await client.stream.message()), "hello")
        client.stream.drop()
      })
  )

  it.live("MUST serve stateless requests too", () =>
    withServer(async (port) => {
      const client = await Sse.open(port)
      await client.say(Sse.call("a", "echo", { text: "hello" }, Sse.stateless))
      assert.strictEqual(textOf(await client.stream.message()), "hello")
      client.stream.drop()
    }))

  it.live("MUST take batches in 2025-03-26, and refuse them in the other revisions", () =>
    withServer(async (port) => {
      const batch = [Sse.call(1, "echo", { text: "a" }), Sse.call(2, "echo", { text: "b" })]
      const some = await Sse.connect(port, { revision: "2025-03-26" })
      assert.strictEqual((await some.say(batch)).status, 202)
      const replies = JSON.parse((await some.stream.next()).data) as Array<Record<string, unknown>>
      assert.deepStrictEqual(replies.map(textOf), ["a", "b"])
      const none = await Sse.connect(port)
      assert.strictEqual((await none.say(batch)).status, 400)
      for (const { stream } of [some, none]) stream.drop()
    }))

  it.live("MUST ask its client on the stream, and take the answer by POST", () =>
    withServer(async (port) => {
      const client = await Sse.connect(port, { revision: "2025-06-18", capabilities: { elicitation: {} } })
      await client.say(Sse.call(1, "poll"))
      const asked = await client.stream.message()
      assert.strictEqual(asked.method, "elicitation/create")
      await client.say({ jsonrpc: "2.0", id: asked.id, result: { action: "accept", content: { name: "Ada" } } })
      assert.strictEqual(textOf(await client.stream.message()), "Ada")
      client.stream.drop()
    }))

  it.live("MUST fail a question whose answer is malformed", () =>
    withServer(async (port) => {
      const client = await Sse.connect(port, { revision: "2025-06-18", capabilities: { elicitation: {} } })
      await client.say(Sse.call(1, "poll"))
      const { id } = await client.stream.message()
      assert.strictEqual((await client.say({ jsonrpc: "2.0", id, result: 1 })).status, 202)
      assert.strictEqual((await client.stream.message()).id, 1)
      client.stream.drop()
    }))

  it.live("MUST belong to the principal of its stream: handlers see that one, and nobody else may use it", () =>
    withServer(async (port) => {
      const ada = await Sse.connect(port, { headers: { "x-subject": "ada" } })
      const nobody = await Sse.connect(port)
      for (const [{ say, stream }, subject] of [[ada, "ada"], [nobody, "nobody"]] as const) {
        await say(Sse.call(1, "whoami"))
        assert.strictEqual(textOf(await stream.message()), subject)
      }
      const message = Sse.call(2, "whoami")
      const unknown = await Sse.post(port, "/messages?sessionId=nobody", message)
      for (const headers of [{}, { "x-subject": "eve" }]) {
        const response = await Sse.post(port, ada.endpoint, message, headers)
        assert.deepStrictEqual([response.status, response.text], [404, unknown.text])
      }
      assert.strictEqual((await Sse.post(port, nobody.endpoint, message, { "x-subject": "ada" })).status, 404)
      for (const { stream } of [ada, nobody]) stream.drop()
    }))

  it.live("MUST be a session of its own for each stream, whatever ids they use", () =>
    withServer(async (port) => {
      const clients = await Promise.all(Array.from({ length: 20 }, () => Sse.connect(port)))
      await Promise.all(clients.map((client, n) => client.say(Sse.call(1, "echo", { text: `${n}` }))))
      const texts = await Promise.all(clients.map(async ({ stream }) => textOf(await stream.message())))
      assert.deepStrictEqual(texts, clients.map((_, n) => `${n}`))
      for (const { stream } of clients) stream.drop()
    }))
})
