/** Kills a server twice, and watches what the session of its client does. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { McpClient } from "@mcp-effect/client"
import { StdioClient } from "@mcp-effect/stdio"
import { Console, Effect, Layer, Stream } from "effect"
import { fileURLToPath } from "node:url"
import { Pid } from "./Pid.ts"

const transport = StdioClient.layer({
  command: process.execPath,
  args: ["--import", "tsx", fileURLToPath(new URL("server.ts", import.meta.url))],
  cwd: fileURLToPath(new URL("..", import.meta.url))
})

const program = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  yield* Effect.forkChild(
    Stream.runForEach(
      mcp.session.changes,
      (state) =>
        Console.log(
          `session: ${state._tag}${
            "reason" in state ? ` (it ${/(exited|was stopped).*/u.exec(state.reason)?.[0]})` : ""
          }`
        )
    ),
    { startImmediately: true }
  )
  let last = 0
  for (const life of ["first", "second", "third"]) {
    const { pid } = yield* mcp.call(Pid, {})
    yield* Console.log(
      `the ${life} server answers${last === 0 ? "" : pid === last ? ", the same" : ", another process"}`
    )
    last = pid
    if (life === "third") return
    process.kill(pid)
    // Until the client has seen it; a call that is made now waits for the next server.
    yield* mcp.session.changes.pipe(
      Stream.filter(({ _tag }) => _tag === "disconnected"),
      Stream.take(1),
      Stream.runDrain
    )
  }
})

program.pipe(
  Effect.provide(McpClient.layerBackground({ name: "patient", version: "1.0.0" }).pipe(Layer.provide(transport))),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
