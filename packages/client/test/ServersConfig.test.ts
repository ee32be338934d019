/** The configuration of many servers, as applications write it. */
import { assert, describe, it } from "@effect/vitest"
import { ClientTransport } from "@mcp-effect/client/ClientTransport"
import * as ServersConfig from "@mcp-effect/client/ServersConfig"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const reading = (config: unknown, env: Record<string, string> = {}) =>
  Effect.gen(function*() {
    const made: Array<unknown> = []
    const transport = (kind: string) => (options: unknown) => {
      made.push([kind, options])
      return Layer.succeed(ClientTransport, { connect: () => Effect.never })
    }
    const servers = yield* ServersConfig.servers(config, {
      stdio: transport("stdio"),
      http: transport("http"),
      sse: transport("sse")
    })
    return { made, names: Object.keys(servers) }
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

const files = { command: "npx", args: ["-y", "server-files", "${ROOT:-/tmp}"], env: { TOKEN: "a${TOKEN}b" }, cwd: "." }

describe("ServersConfig.servers", () => {
  it.effect("MUST make a transport of its kind for each server that is not disabled, with its variables", () =>
    Effect.gen(function*() {
      const mcpServers = {
        files,
        weather: { url: "https://${HOST}/mcp", headers: { authorization: "Bearer ${TOKEN}" } },
        typed: { type: "streamable-http", url: "http://localhost/mcp" },
        old: { type: "sse", url: "http://localhost/sse" },
        off: { command: "x", disabled: true },
        more: { type: "stdio", command: "y", alwaysAllow: ["of another application"] }
      }
      for (const config of [{ mcpServers, other: 1 }, mcpServers]) {
        const { made, names } = yield* reading(config, { HOST: "example.com", TOKEN: "t", ROOT: "/srv" })
        assert.deepStrictEqual(names, ["files", "weather", "typed", "old", "more"])
        assert.deepStrictEqual(made, [
          ["stdio", { command: "npx", args: ["-y", "server-files", "/srv"], cwd: ".", env: { TOKEN: "atb" } }],
          ["http", { url: "https://example.com/mcp", headers: { authorization: "Bearer t" } }],
          ["http", { url: "http://localhost/mcp" }],
          ["sse", { url: "http://localhost/sse" }],
          ["stdio", { command: "y" }]
        ])
      }
    }))

  it.effect("MUST take a default for a variable that is not set", () =>
    Effect.gen(function*() {
      const { made } = yield* reading({ files: { command: "npx", args: ["${ROOT:-/tmp}", "${A:-}", "$HOME"] } })
      assert.deepStrictEqual(made, [["stdio", { command: "npx", args: ["/tmp", "", "$HOME"] }]])
    }))

  it.effect.each([
    { config: 7, says: "The configuration must be an object of servers by name" },
    { config: { a: "x" }, says: "The server \"a\": must be an object" },
    { config: { a: {} }, says: "The server \"a\": must have either a \"command\" or a \"url\"" },
    { config: { a: { command: "x", url: "y" } }, says: "must have either a \"command\" or a \"url\"" },
    { config: { a: { command: ["x", "secret"] } }, says: "is malformed in \"command\"" },
    { config: { a: { command: "x", args: "secret", env: { K: 5 } } }, says: "is malformed in \"args\", \"env\"" },
    { config: { a: { url: "x", type: "secret" } }, says: "is malformed in \"type\"" },
    { config: { a: { command: "x", env: { K: "${NOT_SET} secret" } } }, says: "needs the variable NOT_SET" }
  ])("MUST say what is wrong, and no value: $says", ({ config, says }) =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(reading(config))
      assert.include(message, says)
      assert.notInclude(message, "secret")
    }))

  it.effect("MUST refuse a server whose transport is not given", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(ServersConfig.servers({ a: { type: "sse", url: "x" } }, {}))
      assert.strictEqual(error.message, "The server \"a\": it is a URL of HTTP+SSE, for which no transport was given")
    }))
})
