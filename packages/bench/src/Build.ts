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
import { candidates } from "./Candidates.ts"

export type Form = "installed" | "bundled"

const here = join(import.meta.dirname, "..")
const packages = join(here, "..")
// Below this package, so that a server finds the frameworks that this package depends on.
const cache = join(here, "node_modules", ".cache", "bench")

export const serverFile = (file: string, form: Form): string => join(cache, form, `${file}.js`)

export const probeFile = join(cache, "installed", "probe.js")

/** KiB of the bundled server. */
export const bundleSize = (file: string): number => Math.round(statSync(serverFile(file, "bundled")).size / 1024)

export const buildAll = async (): Promise<void> => {
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, "package.json"), JSON.stringify({ private: true, type: "module" }))
  compile()
  for (const name of ["protocol", "server", "stdio"]) install(name)
  const files = candidates.map(({ file }) => file)
  await build({
    entryPoints: [...files, "probe"].map((file) => join(here, "src", "servers", `${file}.ts`)),
    outdir: join(cache, "installed"),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node22",
    logLevel: "warning"
  })
  await build({
    entryPoints: files.map((file) => serverFile(file, "installed")),
    outdir: join(cache, "bundled"),
    bundle: true,
    platform: "node",
    format: "esm",
    minify: true,
    logLevel: "warning"
  })
}

const compile = (): void => {
  // The compiler that the workspace has; on Windows, npm's shims need a shell.
  const done = spawnSync("tsc", ["-b", join(packages, "stdio", "tsconfig.src.json")], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32"
  })
  // Errors do not keep tsc from writing what it could compile; a server that needs the rest does not start.
  if (done.status !== 0) console.error("tsc -b reported errors: the benchmark goes on with what it wrote")
}

const install = (name: string): void => {
  const from = join(packages, name)
  const to = join(cache, "node_modules", "@mcp-effect", name)
  cpSync(join(from, "dist"), join(to, "dist"), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
  writeFileSync(join(to, "package.json"), JSON.stringify({ ...manifest, ...manifest.publishConfig }))
}
