/** HTTP requests to one URL, by whatever `HttpClient` there is. Redirects lead nowhere but within the origin. */
import type { TransportError } from "@mcp-effect/protocol/Peer"
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import * as Body from "./clientBody.ts"
import * as Failure from "./clientFailure.ts"

export type Method = "POST" | "GET" | "DELETE"

export interface Wire {
  readonly site: Failure.Site
  /** Sends one request and waits for the head of its response. */
  readonly send: (
    method: Method,
    headers: Readonly<Record<string, string>>,
    body?: string
  ) => Effect.Effect<HttpClientResponse, TransportError>
}

/** `secrets` are what must not be read in an error, beside the values of `headers`. */
export const make = (client: HttpClient.HttpClient, options: {
  readonly url: URL
  readonly headers: Headers.Headers
  readonly secrets: () => ReadonlyArray<string>
}): Wire => {
  const { headers, url } = options
  const site: Failure.Site = {
    origin: url.origin,
    mask: masking(() => [...Object.values(headers), ...options.secrets()])
  }
  const execute = withoutRedirects(client)
  let moved = url

  const go = (
    method: Method,
    to: URL,
    request: HttpClientRequest.HttpClientRequest,
    left: number
  ): Effect.Effect<HttpClientResponse, TransportError> =>
    Effect.flatMap(Effect.mapError(execute(request), (error) => Failure.unreached(error, site)), (response) => {
      if (!isRedirect(response.status)) return Effect.succeed(response)
      const next = target(response, method, to, left)
      const followed = typeof next === "string"
        ? Effect.fail(Failure.redirected(response, next, site))
        : Effect.suspend(() => {
          if (response.status === 308) moved = next
          return go(method, next, at(request, next), left - 1)
        })
      return Effect.andThen(Body.discard(response), followed)
    })

  return {
    site,
    send: (method, more, body) =>
      Effect.suspend(() => {
        const all = Headers.setAll(headers, more)
        const payload = body === undefined ? HttpBody.empty : HttpBody.text(body, "application/json")
        const request = HttpClientRequest.setBody(
          HttpClientRequest.makeWith(method, hrefOf(moved), UrlParams.empty, Option.none(), all, HttpBody.empty),
          payload
        )
        return go(method, moved, request, 5)
      })
  }
}

const hrefOf = ({ hash, href }: URL): string => hash === "" ? href : href.slice(0, -hash.length)

const at = (request: HttpClientRequest.HttpClientRequest, url: URL): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.makeWith(request.method, hrefOf(url), UrlParams.empty, Option.none(), request.headers, request.body)

// Status 0 is all that a browser tells of a redirect.
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400 && status !== 304)

// Where to go on, or why not. 301 and 302 turn a POST into a GET, which is another message.
const target = (response: HttpClientResponse, method: Method, from: URL, left: number): URL | string => {
  const { location } = response.headers
  if (location === undefined || !URL.canParse(location, from)) return "but does not say where to; connect to that URL"
  const url = new URL(location, from)
  if (url.origin !== from.origin) return "another origin, to which credentials are not carried; connect to that URL"
  if (url.username !== "" || url.password !== "") return "but to a URL with credentials in it"
  const keeps = response.status === 307 || response.status === 308 || (method === "GET" && response.status !== 303)
  if (!keeps) return `which would not repeat a ${method}; connect to that URL`
  return left === 0 ? "too many times in a row" : url
}

// What is short is no secret, and would make holes in every text.
const masking = (secrets: () => ReadonlyArray<string>) => (text: string): string => {
  let masked = text
  for (const secret of secrets()) {
    for (const part of [secret, ...secret.split(/\s+/u)]) {
      if (part.length >= 6) masked = masked.replaceAll(part, "***")
    }
  }
  return masked
}

/**
 * `fetch` follows redirects by itself, and carries all headers but the well-known ones along; no other platform does. So it
 * is told not to, beside whatever else it was told where the client was made: there alone that can be seen.
 */
const withoutRedirects = (client: HttpClient.HttpClient) => {
  let init: RequestInit["Service"] | undefined
  const learn = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<RequestInit["Service"]> => {
    if (init !== undefined) return Effect.succeed(init)
    const look = HttpClient.mapRequestEffect(
      client,
      () =>
        Effect.flatMap(Effect.serviceOption(RequestInit), (given) => {
          init = { ...Option.getOrUndefined(given), redirect: "manual" }
          // Before anything is sent.
          return Effect.interrupt
        })
    )
    return Effect.map(Effect.exit(look.execute(request)), () => init ??= { redirect: "manual" })
  }
  return (request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(learn(request), (known) => Effect.provideService(client.execute(request), RequestInit, known))
}
