import { InMemory } from "@mcp-effect/memory"
import * as TransportContract from "@mcp-effect/testing/TransportContract"

TransportContract.suite("in memory", InMemory.layer)
