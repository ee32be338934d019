/** The body of a request as text, within a bound of size and of time. */
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Deadlines from "./deadlines.ts"
import type { Wire } from "./exchange.ts"
import * as Incoming from "./incoming.ts"
import * as Reply from "./reply.ts"

export type Read = (request: HttpServerRequest) => Effect.Effect<string, HttpServerResponse>

export const make = (
  run: Wire["run"],
  limits: { readonly bytes: number; readonly timeout: Duration.Duration }
): Effect.Effect<Read, never, Scope.Scope> =>
  Effect.gen(function*() {
    const errors: Record<Incoming.Problem, HttpServerResponse> = {
      "too large": Reply.refused(413, `The message is larger than ${limits.bytes} bytes`),
      late: Reply.refused(408, `The message was not complete after ${Duration.format(limits.timeout)}`),
      unreadable: Reply.refused(400, "The message could not be read")
    }
    const size = ByteSize.bytes(limits.bytes)
    const deadlines = yield* Deadlines.make(run, limits.timeout)
    const bounds: Incoming.Bounds<HttpServerResponse> = { bytes: limits.bytes, deadlines, errors }
    const platform = ({ text }: HttpServerRequest): Effect.Effect<string, HttpServerResponse> =>
      Effect.callback((resume) => {
        const fiber = run(Effect.provideService(text, HttpIncomingMessage.MaxBodySize, size))
        const done = deadlines.watch(() => {
          resume(Effect.fail(errors.late))
          fiber.interruptUnsafe()
        })
        fiber.addObserver((exit) => {
          done()
          resume(Effect.mapError(exit, (error) => errors[problemOf(error)]))
        })
        return Effect.sync(() => fiber.interruptUnsafe())
      })
    return (request) => {
      if (Number(request.headers["content-length"] ?? 0) > limits.bytes) return Effect.fail(errors["too large"])
      return Incoming.text(request, bounds) ?? platform(request)
    }
  })

const problemOf = ({ reason }: HttpServerError): Incoming.Problem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too large" : "unreadable"
