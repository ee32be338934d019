/** Makes plain JavaScript of the clients, and of the servers that they call, with the packages of this workspace as published. */
import { build } from "esbuild"
import { join } from "node:path"
import * as Build from "./Build.ts"

export const clientFile = (file: string): string => join(Build.cache, "installed", "clients", `${file}.js`)

export const buildClients = async (files: ReadonlyArray<string>): Promise<void> => {
  // The hand-written servers, one after the other: what is installed for either stays.
  await Build.buildAll("stdio")
  Build.compile("http")
  for (const name of ["client", "http"]) Build.install(name)
  const sources = join(import.meta.dirname)
  await build({
    entryPoints: [
      join(sources, "servers", "http", "floor.ts"),
      ...files.map((file) => join(sources, "clients", `${file}.ts`))
    ],
    outdir: join(Build.cache, "installed"),
    outbase: sources,
    entryNames: "[dir]/[name]",
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node22",
    logLevel: "warning"
  })
}

/** The hand-written server of a transport. */
export const serverFile = (transport: Build.Transport): string =>
  transport === "stdio"
    ? Build.serverFile("stdio", "floor", "installed")
    : join(Build.cache, "installed", "servers", "http", "floor.js")
