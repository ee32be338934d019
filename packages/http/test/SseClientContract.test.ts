import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import * as SseClient from "@mcp-effect/http/SseClient"
import * as SseServer from "@mcp-effect/http/SseServer"
import * as FaultContract from "@mcp-effect/testing/FaultContract"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import * as Layer from "effect/Layer"
import { httpClient, type Received } from "./streamableTransport.ts"

const transport = (received?: Received) =>
  Layer.provide(SseClient.layer({ url: "http://localhost/sse" }), httpClient(SseServer.layer(), received))

TransportContract.suite("HTTP+SSE by our client", WireSchema.transport(transport()), {
  as: TransportContract.inContext
})

FaultContract.suite("HTTP+SSE by our client", (faults) => transport(faults.bytes))
