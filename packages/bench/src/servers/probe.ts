/**
 * Preloaded into every server (`--import`): writes what CPU the process has used, in microseconds of user and system
 * time together, to file descriptor 3 for each byte that arrives there. Never keeps the process alive.
 */
import { Socket } from "node:net"

const channel = new Socket({ fd: 3, readable: true, writable: true })
channel.on("data", () => {
  const { system, user } = process.cpuUsage()
  channel.write(`${user + system}\n`)
})
channel.on("error", () => {})
channel.unref()
