import * as FaultContract from "@mcp-effect/testing/FaultContract"
import { transportOf } from "./streamableTransport.ts"

FaultContract.suite("Streamable HTTP", (faults) => transportOf(faults.bytes), {
  revisions: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
})
