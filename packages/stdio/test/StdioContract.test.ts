import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import { transport } from "./pipe.ts"

const as = TransportContract.inContext

TransportContract.suite("stdio", WireSchema.transport(transport()), { as })

// Chunks of seven bytes end inside characters and between CR and LF.
TransportContract.suite("stdio in small chunks", WireSchema.transport(transport(7)), {
  revisions: ["2026-07-28", "2025-11-25"],
  as
})
