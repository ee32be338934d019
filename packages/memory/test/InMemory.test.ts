import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import { InMemory } from "@mcp-effect/memory"
import * as TransportContract from "@mcp-effect/testing/TransportContract"

TransportContract.suite("in memory", WireSchema.transport(InMemory.layer), { as: TransportContract.inContext })
