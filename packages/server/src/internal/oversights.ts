/** What the author of a server has probably forgotten: told to the log when somebody connects. Nothing is refused for it. */
import * as Effect from "effect/Effect"
import type { ServerInfo } from "./serverInfo.ts"

/** What to run for each connection. */
export const make = (server: ServerInfo): Effect.Effect<void> => {
  const offers = server.features.filter((feature) => feature !== server.extensions.feature)
  let first = true
  const found = (): ReadonlyArray<string> => [
    ...(offers.some((feature) => feature.declared()) ? [] : [nothing(server)]),
    ...(first ? unregistered(server) : [])
  ]
  const tell = Effect.suspend(() => {
    const warnings = found()
    first = false
    return Effect.forEach(warnings, (text) => Effect.logWarning(text), { discard: true })
  })
  return Effect.suspend(() => {
    // Layers that are built beside the one of the transport may come after it.
    if (found().length > 0) return Effect.andThen(Effect.yieldNow, tell)
    first = false
    return Effect.void
  })
}

const nothing = ({ info }: ServerInfo): string =>
  `The server ${JSON.stringify(info.name)} offers nothing. Are its tools and its transport provided with the same ` +
  "McpServer layer? If tools come later, say so: declare: [\"tools\"]"

// Clients learn of an extension from the server's capabilities, and without it its methods are refused.
const unregistered = ({ extensions, methods }: ServerInfo): ReadonlyArray<string> => {
  const declared = extensions.settings()
  return methods.extending().filter(({ extension }) => !Object.hasOwn(declared, extension)).map(({ extension, name }) =>
    `The method ${name} is for clients with the extension ${extension}, which this server does not declare. Add it: ` +
    `McpServer.extension({ id: ${JSON.stringify(extension)} })`
  )
}
