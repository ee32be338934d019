/**
 * Makes plain JavaScript of the servers, twice, so that no TypeScript loader is measured.
 *
 * - `installed`: the server's own files as one module, everything it imports from `node_modules`. This workspace's
 *   packages are there as they are published: their `dist`, made by `tsc -b`, under the `exports` of `publishConfig`.
 * - `bundled`: that module and all it imports as one minified file, by the command that esbuild documents for Node:
 *   `esbuild server.js --bundle --platform=node --format=esm --minify`.
 */
import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Candidate, http, stdio } from "./Candidates.ts"

export type Form = "installed" | "bundled"

export type Transport = "stdio" | "http"

const candidates: Record<Transport, ReadonlyArray<Candidate>> = { stdio, http }

// What is installed of this workspace.
const packagesOf: Record<Transport, ReadonlyArray<string>> = {
  stdio: ["protocol", "server", "stdio"],
  http: ["protocol", "client", "server", "http"]
}

const here = join(import.meta.dirname, "..")
const packages = join(here, "..")
// Below this package, so that a server finds the frameworks that this package depends on. Each bench has its own: two may run.
export const cache = join(here, "node_modules", ".cache", "bench", process.argv[2] ?? "")

export const serverFile = (transport: Transport, file: string, form: Form): string =>
  join(cache, form, transport, `${file}.js`)

export const probeFile = join(cache, "installed", "probe.js")

/** KiB of the bundled server. */
export const bundleSize = (transport: Transport, file: string): number =>
  Math.round(statSync(serverFile(transport, file, "bundled")).size / 1024)

/** `bundled` is made for stdio only, whose servers are started anew by every client. */
export const buildAll = async (transport: Transport): Promise<void> => {
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, "package.json"), JSON.stringify({ private: true, type: "module" }))
  compile(transport)
  for (const name of packagesOf[transport]) install(name)
  const files = candidates[transport].map(({ file }) => file)
  const servers = join(here, "src", "servers")
  await build({
    entryPoints: [...files.map((file) => join(servers, transport, `${file}.ts`)), join(servers, "probe.ts")],
    outdir: join(cache, "installed"),
    outbase: servers,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node22",
    logLevel: "warning"
  })
  if (transport === "http") return
  await build({
    entryPoints: files.map((file) => serverFile(transport, file, "installed")),
    outdir: join(cache, "bundled", transport),
    bundle: true,
    platform: "node",
    format: "esm",
    minify: true,
    logLevel: "warning"
  })
}

export const compile = (transport: Transport): void => {
  // The compiler that the workspace has; on Windows, npm's shims need a shell.
  const done = spawnSync("tsc", ["-b", join(packages, transport, "tsconfig.src.json")], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32"
  })
  // Errors do not keep tsc from writing what it could compile; a server that needs the rest does not start.
  if (done.status !== 0) console.error("tsc -b reported errors: the benchmark goes on with what it wrote")
}

export const install = (name: string): void => {
  const from = join(packages, name)
  const to = join(cache, "node_modules", "@mcp-effect", name)
  cpSync(join(from, "dist"), join(to, "dist"), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
  writeFileSync(join(to, "package.json"), JSON.stringify({ ...manifest, ...manifest.publishConfig }))
}
