import { assert, describe, it } from "@effect/vitest"
import * as Cors from "@mcp-effect/http/Cors"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const routes = Layer.mergeAll(
  HttpRouter.add("*", "/mcp", HttpServerResponse.text("{}", { headers: { "mcp-session-id": "a" } })),
  HttpRouter.add("*", "/refused", HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": "Bearer" } })),
  HttpRouter.add("*", "/stream", HttpServerResponse.stream(Stream.make(new Uint8Array([1])))),
  HttpRouter.add("*", "/broken", Effect.die("broken"))
)

const serve = (options: Cors.Options) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => HttpRouter.toWebHandler(Layer.merge(routes, Cors.layer(options)), { disableLogger: true })),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) => (method: string, path: string, headers: Record<string, string>) =>
      Effect.promise(() => handler(new Request(`http://localhost${path}`, { method, headers })))
  )

const app = "https://app.example"

const list = (response: Response, name: string) => response.headers.get(name)?.split(/, */) ?? []

const asked =
  "content-type,accept,authorization,last-event-id,mcp-session-id,mcp-protocol-version,mcp-method,mcp-name," +
  "mcp-param-region"

const preflight = { origin: app, "access-control-request-method": "POST", "access-control-request-headers": asked }

describe("a web page of another origin", () => {
  it.effect("MUST be allowed the methods and headers of MCP, those of tools too", () =>
    Effect.gen(function*() {
      const send = yield* serve({ allowedOrigins: [app, "http://localhost:5173"] })
      const response = yield* send("OPTIONS", "/mcp", preflight)
      assert.strictEqual(response.status, 204)
      assert.strictEqual(response.headers.get("access-control-allow-origin"), app)
      assert.deepStrictEqual(list(response, "access-control-allow-methods"), ["GET", "POST", "DELETE", "OPTIONS"])
      assert.deepStrictEqual(list(response, "access-control-allow-headers"), asked.split(","))
      assert.strictEqual(response.headers.get("access-control-max-age"), "7200")
      assert.strictEqual(response.headers.get("access-control-allow-credentials"), null)
      assert.includeMembers(list(response, "vary"), ["Origin", "Access-Control-Request-Headers"])
    }))

  it.effect.each(["/mcp", "/refused", "/stream", "/broken", "/nowhere"])(
    "MUST be able to read what %s replies",
    (path) =>
      Effect.gen(function*() {
        const send = yield* serve({ allowedOrigins: [app, "http://localhost:5173"], exposedHeaders: ["X-Mine"] })
        for (const method of ["POST", "GET", "DELETE"]) {
          const response = yield* send(method, path, { origin: app })
          assert.strictEqual(response.headers.get("access-control-allow-origin"), app)
          assert.deepStrictEqual(list(response, "access-control-expose-headers"), [
            "Mcp-Session-Id",
            "MCP-Protocol-Version",
            "WWW-Authenticate",
            "X-Mine"
          ])
          assert.include(list(response, "vary"), "Origin")
        }
      })
  )

  it.effect("MUST NOT be allowed anything if its origin is not listed", () =>
    Effect.gen(function*() {
      for (const allowedOrigins of [[app], [app, "http://localhost:5173"], []]) {
        const send = yield* serve({ allowedOrigins })
        for (const origin of ["https://evil.example", "null", `${app}.evil.example`, "http://app.example"]) {
          const asked = yield* send("OPTIONS", "/mcp", { ...preflight, origin })
          const replied = yield* send("POST", "/mcp", { origin })
          for (const response of [asked, replied]) {
            assert.notInclude([origin, "*"], response.headers.get("access-control-allow-origin"))
          }
        }
      }
    }))

  it.effect("an origin MUST be known however it is written", () =>
    Effect.gen(function*() {
      const send = yield* serve({ allowedOrigins: ["HTTPS://App.example:443", "https://other.example"] })
      const response = yield* send("OPTIONS", "/mcp", preflight)
      assert.strictEqual(response.headers.get("access-control-allow-origin"), app)
    }))

  it.effect("any origin MUST be allowed if that is said", () =>
    Effect.gen(function*() {
      const send = yield* serve({ allowedOrigins: "any", maxAge: "1 minute" })
      const response = yield* send("OPTIONS", "/mcp", preflight)
      assert.strictEqual(response.headers.get("access-control-allow-origin"), "*")
      assert.strictEqual(response.headers.get("access-control-max-age"), "60")
      assert.deepStrictEqual(list(response, "access-control-allow-headers"), asked.split(","))
    }))

  it.each(["*", "app.example", `${app}/`])("that is no origin MUST be a programming error: %s", (origin) => {
    assert.throws(() => Cors.layer({ allowedOrigins: [origin] }), TypeError, "is no origin")
  })
})
