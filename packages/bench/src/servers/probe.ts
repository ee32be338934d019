/**
 * Preloaded into every server (`--import`): answers each byte that arrives at file descriptor 3 with a number. `c`: what CPU
 * the process has used, in microseconds of user and system time together. `h`: what its heap holds after a full collection,
 * in bytes. Never keeps the process alive, nor lets it outlive who asks.
 */
import { Socket } from "node:net"

const channel = new Socket({ fd: 3, readable: true, writable: true })
channel.on("data", (bytes) => {
  if (bytes[0] === 104) return heap()
  const { system, user } = process.cpuUsage()
  channel.write(`${user + system}\n`)
})
channel.on("error", () => {})
channel.on("close", () => process.exit())
channel.unref()

// What one collection finds dead may have been all that kept something else alive, and finalizers run in between.
const heap = (collections = 6): void => {
  if (collections === 0) return void channel.write(`${process.memoryUsage().heapUsed}\n`)
  globalThis.gc?.()
  setTimeout(heap, 20, collections - 1)
}
