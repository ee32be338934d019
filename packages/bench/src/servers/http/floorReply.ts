/** How the hand-written server writes: one JSON text with its length, or an event stream. */
import type { ServerResponse } from "node:http"

export const json = (response: ServerResponse, text: string, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}

export const result = (response: ServerResponse, id: string | number, value: object): void =>
  json(response, JSON.stringify({ jsonrpc: "2.0", id, result: value }))

interface Refusal {
  readonly id?: string | number | undefined
  readonly code?: number
  readonly data?: object
}

export const refuse = (response: ServerResponse, status: number, message: string, refusal: Refusal = {}): void => {
  const { code = -32600, data, id } = refusal
  json(response, JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }), status)
}

/** A notification was taken. */
export const accepted = (response: ServerResponse): void => {
  response.writeHead(202, { "content-length": 0 })
  response.end()
}

// What one turn of the event loop says is one write, in pieces of this many characters.
const PIECE = 16 * 1024

export class Events {
  private readonly response: ServerResponse
  private pending = ""

  constructor(response: ServerResponse) {
    this.response = response
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no"
    })
  }

  get closed(): boolean {
    return this.response.destroyed
  }

  /** Whether more may be said at once; if not, wait for `drained`. */
  send(message: object): boolean {
    if (this.pending === "") queueMicrotask(() => this.flush())
    this.pending += `data: ${JSON.stringify(message)}\n\n`
    return this.pending.length < PIECE || this.flush()
  }

  /** Also when the client has gone. */
  drained(): Promise<void> {
    const { response } = this
    return new Promise((resolve) => {
      if (response.destroyed || !response.writableNeedDrain) return resolve()
      const done = (): void => {
        response.off("drain", done).off("close", done)
        resolve()
      }
      response.on("drain", done).on("close", done)
    })
  }

  end(): void {
    const { pending } = this
    this.pending = ""
    this.response.end(pending)
  }

  private flush(): boolean {
    const { pending } = this
    this.pending = ""
    return pending === "" || this.response.write(pending)
  }
}
