/** The client of `effect/ai`. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import { checked, INFO, isStateless, target, TEXT } from "./driven.ts"
import { driven } from "./effectful.ts"

const protocol = isStateless ? McpProtocol.v2026_07_28 : McpProtocol.v2025_11_25

const layer = target.transport === "stdio"
  ? McpClient.layerStdio({
    ...INFO,
    protocol,
    command: ChildProcess.make(process.execPath, [target.server, "2"], { stderr: "ignore" })
  }).pipe(Layer.provide(NodeServices.layer))
  : McpClient.layerHttp({ ...INFO, protocol, url: target.server }).pipe(Layer.provide(NodeHttpClient.layerUndici))

const program = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  const tool = (yield* client.listTools()).find(({ name }) => name === "echo")
  if (tool === undefined) return yield* Effect.die(new Error("there is no echo"))
  const call = client.callTool({ tool, arguments: { text: TEXT } })
  return yield* driven(Effect.map(call, ({ content: [first] }) => checked(first?.type === "text" ? first.text : first)))
})

await Effect.runPromise(Effect.provide(program, layer))
