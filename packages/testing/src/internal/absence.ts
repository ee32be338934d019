/** The rules of what is not there: another revision's methods, and those of features that nobody has declared. */
import { assert } from "@effect/vitest"
import * as Meta from "@mcp-effect/protocol/Meta"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Effect from "effect/Effect"
import * as RawClient from "../RawClient.ts"
import type { Rule } from "../TransportContract.ts"
import { features } from "./offered.ts"

const all = new Set(Revisions.all.flatMap(({ methods }) => [...methods.serverRequests]))

const ofOthers = ({ methods }: Revision.Revision): ReadonlyArray<string> =>
  [...all].filter((method) => !methods.serverRequests.has(method))

// What every server has, and what the contract's own declares.
const always = new Set([
  "initialize",
  "ping",
  "server/discover",
  "subscriptions/listen",
  "tools/list",
  "tools/call"
])

export const rules: ReadonlyArray<Rule> = [
  {
    name: "MUST answer the methods of other revisions with -32601, and go on",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        for (const method of [...ofOthers(revision), "unheard/of"]) {
          assert.strictEqual((yield* client.error(method, {})).code, -32601, method)
        }
        yield* client.result("resources/list")
      })
  },
  {
    name: "MUST answer the methods of features that nobody has declared with -32601, and go on",
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        for (const method of all) {
          if (always.has(method)) continue
          assert.strictEqual((yield* client.error(method, {})).code, -32601, method)
        }
        yield* client.result("tools/list")
      })
  },
  {
    name: "MUST NOT open a session twice, and MUST serve stateless requests beside it",
    applies: ({ era }) => era === "stateful",
    features,
    test: (revision) =>
      Effect.gen(function*() {
        const client = yield* RawClient.connect(revision.name)
        const clientInfo = { name: "raw", version: "1.0.0" }
        const again = { protocolVersion: revision.name, capabilities: {}, clientInfo }
        assert.strictEqual((yield* client.error("initialize", again)).code, -32600)
        const _meta = {
          [Meta.PROTOCOL_VERSION]: "2026-07-28",
          [Meta.CLIENT_CAPABILITIES]: {},
          [Meta.CLIENT_INFO]: clientInfo
        }
        assert.property(yield* client.result("server/discover", { _meta }), "supportedVersions")
        yield* client.result("resources/list")
      })
  }
]
