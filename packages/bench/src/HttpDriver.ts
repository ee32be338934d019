/** A server over HTTP, and clients of it that cost as little as they can: raw sockets, and texts that are made ahead. */
import { connect as connectSocket } from "node:net"
import type { Era } from "./Candidates.ts"
import * as HttpReader from "./HttpReader.ts"
import * as Messages from "./Messages.ts"
import { type Options, type ServerProcess, start as startProcess } from "./ServerProcess.ts"

export interface Server extends ServerProcess {
  readonly port: number
}

export const start = async (file: string, options: Options): Promise<Server> => {
  const server = startProcess(file, options)
  const port = await new Promise<number>((resolve) => {
    let text = ""
    server.output.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes("\n")) resolve(Number.parseInt(text))
    })
  })
  return { ...server, port }
}

/** One connection, which is kept alive, with one request at a time. */
export interface Connection {
  readonly port: number
  readonly send: (text: string, onReply: (reply: HttpReader.Reply) => void) => void
  readonly ask: (text: string) => Promise<HttpReader.Reply>
  readonly close: () => Promise<void>
}

export const connect = (port: number): Promise<Connection> =>
  new Promise((resolve) => {
    let listener = (_reply: HttpReader.Reply): void => {}
    const socket = connectSocket({ host: "127.0.0.1", port, noDelay: true }, () => resolve(connection))
    const lost = (reason: unknown): void => {
      console.error(`A connection was lost: ${reason}`)
      process.exit(1)
    }
    socket.on("data", HttpReader.make((reply) => listener(reply)))
    socket.on("error", lost)
    const closed = (): void => lost("the server closed it")
    socket.on("close", closed)
    const connection: Connection = {
      port,
      send: (text, onReply) => {
        listener = onReply
        socket.write(text)
      },
      ask: (text) => new Promise((resolve) => connection.send(text, resolve)),
      close: () =>
        new Promise((resolve) => {
          socket.off("close", closed).once("close", () => resolve())
          socket.destroy()
        })
    }
  })

export type Headers = Readonly<Record<string, string>>

/** The text of a POST. */
export const post = (port: number, headers: Headers, body: string): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n` +
    `accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n` +
    `${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Opens a session: the headers of all that is said in it. */
export const openSession = async (connection: Connection, revision: string): Promise<Headers> => {
  const { port } = connection
  const opened = await connection.ask(post(port, {}, Messages.initialize(revision)))
  const id = /\r\nmcp-session-id: *([^\r]+)/iu.exec(opened.head)?.[1]
  if (opened.status !== 200 || id === undefined || !opened.body.includes(`"protocolVersion":"${revision}"`)) {
    throw new Error(`not a session: ${opened.head}\n\n${opened.body.toString()}`)
  }
  const headers = { "mcp-protocol-version": revision, "mcp-session-id": id }
  const { status } = await connection.ask(post(port, headers, Messages.initialized))
  if (status !== 202) throw new Error(`notifications/initialized: status ${status} instead of 202`)
  return headers
}

/** Ends a session, if the server lets its clients do that. */
export const endSession = async (connection: Connection, session: Headers): Promise<void> => {
  const lines = Object.entries(session).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  await connection.ask(`DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1:${connection.port}\r\n${lines}\r\n`)
}

/** What is asked again and again, by the id of the request; all ids are of the same length. */
export interface Call {
  readonly text: (id: number) => string
  /** Whether a reply looks right, as far as that shows without reading its JSON. */
  readonly isRight: (body: Buffer) => boolean
  readonly problem: Messages.Problem
}

export const FIRST_ID = 1_000_000

/** A call of a tool, in a session of the stateful era or by itself in the stateless one. */
export const call = (
  port: number,
  era: Era,
  session: Headers,
  tool: { readonly params: Parameters<typeof Messages.stateless>[0] } & Pick<Call, "isRight" | "problem">
): Call => {
  const { isRight, params, problem } = tool
  const headers = era === "stateful" ? session : {
    "mcp-protocol-version": Messages.STATELESS,
    "mcp-method": "tools/call",
    "mcp-name": params.name
  }
  const body = Messages.request("tools/call", era === "stateful" ? params : Messages.stateless(params))
  const [before, after] = post(port, headers, body(FIRST_ID)).split(String(FIRST_ID))
  return { text: (id) => `${before}${id}${after}`, isRight, problem }
}

/** A connection, and what is asked on it. */
export interface Client {
  readonly connection: Connection
  readonly call: Call
}

/** Keeps one call in flight on each connection for `ms`, then waits for the last of them: how many, in how many ms. */
export const sustain = (clients: ReadonlyArray<Client>, ms: number) =>
  new Promise<{ readonly calls: number; readonly ms: number }>((resolve, reject) => {
    let calls = 0
    let open = clients.length
    const began = performance.now()
    const next = ({ call, connection }: Client): void =>
      connection.send(call.text(FIRST_ID + calls++), ({ body, status }) => {
        if (status !== 200 || !call.isRight(body)) reject(new Error(`status ${status}: ${body.toString()}`))
        const now = performance.now()
        if (now - began < ms) next({ call, connection })
        else if (--open === 0) resolve({ calls, ms: now - began })
      })
    for (const client of clients) next(client)
  })

/** What is wrong with the reply to one call, read as a client would. */
export const check = async ({ call, connection }: Client): Promise<string | undefined> => {
  const { body, head, status } = await connection.ask(call.text(FIRST_ID))
  const text = body.toString()
  if (status !== 200) return `status ${status}: ${text}`
  return call.problem(isEvents(head) ? messagesOf(text) : [text])
}

/** Whether a reply is an event stream. */
export const isEvents = (head: string): boolean => /\r\ncontent-type: *text\/event-stream/iu.test(head)

const messagesOf = (events: string): ReadonlyArray<string> =>
  events.split(/\n/u).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).filter((data) =>
    data !== ""
  )
