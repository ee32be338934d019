/**
 * The floor: what a client costs that is written by hand for this tool only. Over stdio it writes lines and finds replies by
 * their ids; over HTTP it is the `HttpClient` of Effect alone, on undici: a POST and its JSON.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { type ChildProcess, spawn } from "node:child_process"
import { checked, INFO, isStateless, promised, serve, target, TEXT } from "./driven.ts"
import { driven } from "./effectful.ts"

const own = {
  "io.modelcontextprotocol/protocolVersion": target.revision,
  "io.modelcontextprotocol/clientInfo": INFO,
  "io.modelcontextprotocol/clientCapabilities": {}
}

const call = (id: number) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "echo", arguments: { text: TEXT }, ...(isStateless ? { _meta: own } : {}) }
  })

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: target.revision, capabilities: {}, clientInfo: INFO }
}

const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })

interface Reply {
  readonly id: number
  readonly result?: { readonly content?: ReadonlyArray<{ readonly text?: string }> }
}

const overStdio = async (): Promise<void> => {
  const child: ChildProcess = spawn(process.execPath, [target.server, "2"], { stdio: ["pipe", "pipe", "ignore"] })
  const pending = new Map<number, (reply: Reply) => void>()
  let rest = ""
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const reply: Reply = JSON.parse(line)
      pending.get(reply.id)?.(reply)
      pending.delete(reply.id)
    }
  })
  // All calls of a turn are one write.
  let out = ""
  const write = (line: string): void => {
    if (out === "") {
      queueMicrotask(() => {
        child.stdin?.write(out)
        out = ""
      })
    }
    out += `${line}\n`
  }
  let nextId = 1
  const asked = (id: number, line: string): Promise<Reply> =>
    new Promise((resolve) => {
      pending.set(id, resolve)
      write(line)
    })
  if (!isStateless) {
    await asked(0, JSON.stringify(initialize))
    write(initialized)
  }
  const echo = async (): Promise<void> => {
    const id = nextId++
    checked((await asked(id, call(id))).result?.content?.[0]?.text)
  }
  await echo()
  await serve(promised(echo))
  child.stdin?.end()
}

const overHttp = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const headers: Record<string, string> = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": target.revision,
    ...(isStateless ? { "mcp-method": "tools/call", "mcp-name": "echo" } : {})
  }
  const post = (body: string) =>
    client.execute(
      HttpClientRequest.bodyText(
        HttpClientRequest.setHeaders(HttpClientRequest.post(target.server), headers),
        body,
        "application/json"
      )
    )
  if (!isStateless) {
    const opened = yield* post(JSON.stringify(initialize))
    headers["mcp-session-id"] = opened.headers["mcp-session-id"] ?? ""
    yield* opened.text
    yield* Effect.flatMap(post(initialized), (response) => response.text)
  }
  let nextId = 1
  yield* driven(
    Effect.suspend(() =>
      Effect.flatMap(
        post(call(nextId++)),
        (response) =>
          Effect.map(response.text, (text) => checked((JSON.parse(text) as Reply).result?.content?.[0]?.text))
      )
    )
  )
})

await (target.transport === "stdio"
  ? overStdio()
  : Effect.runPromise(Effect.provide(overHttp, NodeHttpClient.layerUndici)))
