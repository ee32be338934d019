/** The notes as an MCP server, all of it but for the transport. */
import { McpServer, Middleware } from "@mcp-effect/server"
import { Console, Context, Effect, Exit, Layer } from "effect"
import { Notes } from "./Notes.ts"
import { Reading } from "./Reading.ts"
import { Writing } from "./Writing.ts"

/** Where it is written down who has asked for what. */
export const AuditTrail = Context.Reference<(line: string) => Effect.Effect<void>>("notes/AuditTrail", {
  defaultValue: () => Console.error
})

const audit = Middleware.make(
  "audit",
  ({ method, principal }, next) =>
    Effect.onExit(
      next(),
      (exit) =>
        Effect.flatMap(AuditTrail, (write) =>
          write(`${principal?.subject ?? "somebody"}: ${method} ${Exit.isSuccess(exit) ? "ok" : "failed"}`))
    )
)

export const NotesServer = Layer.mergeAll(Reading, Writing, McpServer.logging()).pipe(
  Layer.provideMerge(McpServer.layer({ name: "notes", version: "1.0.0", middleware: [audit] })),
  Layer.provideMerge(Notes.layer)
)
