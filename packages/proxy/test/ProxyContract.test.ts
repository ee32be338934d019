import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import { InMemory } from "@mcp-effect/memory"
import { Proxy } from "@mcp-effect/proxy"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import * as Layer from "effect/Layer"

const proxied = Layer.fresh(InMemory.layer).pipe(Layer.provide(Proxy.layer()), Layer.provide(InMemory.layer))

TransportContract.suite("a proxy", WireSchema.transport(proxied))
