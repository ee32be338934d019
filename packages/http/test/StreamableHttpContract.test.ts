import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import { transport } from "./streamableTransport.ts"

TransportContract.suite("Streamable HTTP", WireSchema.transport(transport), {
  revisions: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  as: TransportContract.inContext
})
