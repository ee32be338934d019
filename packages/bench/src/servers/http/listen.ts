/** Where the servers listen, and how the driver gets to know of it. */
import type { Server } from "node:http"

/** A free port of this machine only. */
export const loopback = { host: "127.0.0.1", port: 0 }

/** Writes the server's port, as a line, once it listens. */
export const announced = (server: Server): Server =>
  server.once("listening", () => {
    const address = server.address()
    if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`)
  })
