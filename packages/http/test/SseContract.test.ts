import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import { transport } from "./sseTransport.ts"

TransportContract.suite("HTTP+SSE", WireSchema.transport(transport), { as: TransportContract.inContext })
