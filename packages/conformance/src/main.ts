/**
 * Runs the official conformance suite against the server of this package, and says what has passed.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as StreamableHttpServer from "@mcp-effect/http/StreamableHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ClientSuite from "./ClientSuite.ts"
import * as EverythingServer from "./EverythingServer.ts"
import { bin } from "./internal/bin.ts"
import * as Report from "./Report.ts"

const suite = (url: string, revision: string): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const folder = mkdtempSync(join(tmpdir(), `conformance-${revision}-`))
    const child = spawn(bin, ["server", "--url", url, "--requirements", revision, "-o", folder])
    let output = ""
    const take = (chunk: Buffer): void => {
      output += chunk.toString("utf8")
    }
    child.stdout.on("data", take)
    child.stderr.on("data", take)
    child.on("error", (error) => resume(Effect.succeed(`${output}\n${error.message}`)))
    child.on("close", () => {
      console.log(`${revision}: checks in ${folder}`)
      resume(Effect.succeed(output))
    })
  })

const revisions = ["2025-11-25", "2026-07-28"]

const shown = (report: Report.Report): void => {
  console.log(Report.table(report))
  if (Report.problems(report).length > 0) process.exitCode = 1
}

const servers = Effect.gen(function*() {
  const url = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(`${address}/mcp`))
  for (const revision of revisions) shown(Report.read(revision, yield* suite(url, revision)))
})

const served = HttpRouter.serve(StreamableHttpServer.layer(), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(EverythingServer.layer),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

const clients = Effect.gen(function*() {
  for (const revision of revisions) shown(yield* ClientSuite.run(revision))
})

const side = process.argv[2] ?? "both"

if (["server", "client", "both"].includes(side)) {
  if (side !== "client") await Effect.runPromise(Effect.provide(servers, served))
  if (side !== "server") await Effect.runPromise(clients)
} else {
  console.error("Usage: npm run conformance [-- server | -- client]")
  process.exitCode = 2
}
