/** Processes that tests start, and end themselves. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"

/** A server in a process of its own: `port`, and what it has said on standard error so far. */
export interface Server {
  readonly child: ChildProcess
  readonly port: number
  readonly said: () => string
}

/** Starts a server, and waits until it has said where it listens. */
export const start = (script: string, env: Readonly<Record<string, string>> = {}): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env }
    })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)/u.exec(said) ?? []
      if (port !== undefined) resolve({ child, port: Number(port), said: () => said })
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`${script} has ended with ${code}: ${said}`)))
  })

/** Ends a process, and waits for that. */
export const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

export interface Output {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export const run = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<Output> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env })
  const texts = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (texts.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (texts.stderr += text))
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000)
  try {
    const [code] = await once(child, "close")
    return { code, ...texts }
  } finally {
    clearTimeout(timer)
  }
}

/** A port on which nobody listens. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
