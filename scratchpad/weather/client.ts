/** A client of the weather server. It does not know how it reaches it. */
import { McpClient } from "@mcp-effect/client"
import { Effect, Stream } from "effect"
import { Forecast, GetWeather } from "./Tools.ts"

const bar = (progress: number, total: number) => "█".repeat(progress).padEnd(total, "░")

/** Prints each state of the session, to its end. */
export const watch = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  yield* mcp.session.changes.pipe(
    Stream.takeUntil((state) => state._tag === "disconnected" || state._tag === "failed"),
    Stream.runForEach((state) => Effect.sync(() => console.log(`  session: ${state._tag}`)))
  )
})

export const client = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { info, revision } = yield* mcp.server
  console.log(`  server: ${info?.name} ${info?.version}, revision ${revision.name}`)

  const tools = yield* mcp.listTools()
  console.log(`  tools: ${tools.map((tool) => tool.name).join(", ")}`)

  const { celsius, sky } = yield* mcp.call(GetWeather, { city: "Beijing" })
  console.log(`  Beijing: ${celsius} °C, ${sky}`)
  const failure = yield* Effect.flip(mcp.call(GetWeather, { city: "Atlantis" }))
  console.log(`  Atlantis: ${failure._tag}: ${failure.message}`)

  yield* mcp.stream(Forecast, { city: "Bergen", days: 7 }).pipe(Stream.runForEach((event) =>
    Effect.sync(() => {
      switch (event._tag) {
        case "Part":
          return console.log(`  ${event.content.type === "text" ? event.content.text : event.content.type}`)
        case "Progress":
          return console.log(`  ${bar(event.progress, event.total ?? 7)} ${event.message ?? ""}`)
        case "Output":
          return console.log(`  warmest day in ${event.value.city}: ${event.value.warmest} °C`)
      }
    })
  ))
})
