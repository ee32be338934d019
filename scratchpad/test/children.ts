/** Servers over HTTP in processes of their own, for tests to reach. */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import type { Readable, Writable } from "node:stream"
import { pathToFileURL } from "node:url"

/** What `--import` takes to run TypeScript from any folder. */
export const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

/** A port on which nobody listens. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/**
 * - `ended`: the exit code of the process, when it has ended.
 * - `stop`: tells it to end, and waits until it has.
 */
export interface Server {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly ended: Promise<number | null>
  readonly stop: () => Promise<void>
}

/** Starts a server, and waits until it listens. */
export const start = async (
  script: string,
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {}
): Promise<Server> => {
  const child = spawn(process.execPath, ["--import", tsx, script], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env }
  })
  const ended = once(child, "exit").then(([code]) => code as number | null)
  let said = ""
  const listening = new Promise<void>((resolve) => {
    for (const output of [child.stdout, child.stderr]) {
      output.on("data", (text) => {
        said += String(text)
        if (said.includes("Listening")) resolve()
      })
    }
  })
  await Promise.race([
    listening,
    ended.then((code) => {
      throw new Error(`${script} has ended with ${code}: ${said}`)
    })
  ])
  return {
    child,
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    }
  }
}
