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
import { fileURLToPath } from "node:url"
import * as EverythingServer from "./EverythingServer.ts"
import * as Report from "./Report.ts"

const bin = fileURLToPath(new URL("../node_modules/.bin/conformance", import.meta.url))

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

const program = Effect.gen(function*() {
  const url = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(`${address}/mcp`))
  let good = true
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const report = Report.read(revision, yield* suite(url, revision))
    console.log(Report.table(report))
    good = Report.problems(report).length === 0 && good
  }
  process.exitCode = good ? 0 : 1
})

const served = HttpRouter.serve(StreamableHttpServer.layer(), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(EverythingServer.layer),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

if (process.argv[2] === "server") {
  await Effect.runPromise(Effect.provide(program, served))
} else {
  console.error("Usage: pnpm conformance server")
  process.exitCode = 2
}
