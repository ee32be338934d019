/**
 * Whether a request may come from where its headers say that it does: the guard against web pages that reach a server through
 * the browser of somebody who may, by a name of their own for its address or from another site.
 *
 * Knows nothing of who is calling, and takes no proxy's word: `X-Forwarded-Host` is not read.
 *
 * Source: `basic/transports/streamable-http#security-endpoint` of revision 2026-07-28.
 *
 * @since 0.1.0
 */
import { cut } from "@mcp-effect/protocol/Problem"
import * as Authority from "./internal/authority.ts"

/**
 * - `allowedHosts`: the names that the server is reached by, such as `example.com`, `example.com:8080`, `[::1]` or
 *   `*.example.com`, which is every name below it. Without a port, any. `"any"` is for servers that all may reach by whatever
 *   name. By default `localhost`, `127.0.0.1` and `[::1]`.
 * - `allowedOrigins`: the origins of the web pages that may use it, such as `https://example.com`. By default those whose host
 *   is among `allowedHosts`, by `http` or `https`; where these are `"any"`, those of the host that the request is for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly allowedHosts?: ReadonlyArray<string> | "any" | undefined
  readonly allowedOrigins?: ReadonlyArray<string> | "any" | undefined
}

/**
 * Headers by their names in lower case.
 *
 * @since 0.1.0
 * @category models
 */
export interface Headers {
  readonly [name: string]: string | undefined
}

/**
 * What is wrong with where a request comes from or goes to. `authority` is the host of its URL, on platforms that tell it in
 * place of a `Host` header.
 *
 * @since 0.1.0
 * @category models
 */
export type Guard = (headers: Headers, authority?: string) => string | undefined

/**
 * The names that a server is reached by on the machine that it runs on.
 *
 * @since 0.1.0
 * @category hosts
 */
export const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * A guard. Throws a `TypeError` for a host or an origin that can be none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Guard => {
  const judge = judgeOf(options)
  // Most requests are for the host that the last one was for, and reading a host costs more than all else that is done here.
  let lastHost: string | undefined
  let lastOrigin: string | undefined
  let last = judge(lastHost, lastOrigin)
  return (headers, authority) => {
    const { ":authority": pseudo, host = pseudo ?? authority, origin } = headers
    if (pseudo !== undefined && host !== pseudo) return `Host ${quote(host)} is not the authority ${quote(pseudo)}`
    if (host !== lastHost || origin !== lastOrigin) {
      last = judge(host, origin)
      lastHost = host
      lastOrigin = origin
    }
    return last
  }
}

const judgeOf = ({ allowedHosts = loopback, allowedOrigins }: Options) => {
  const allowsHost = hostsOf(allowedHosts)
  const allowsOrigin = originsOf(allowedOrigins, allowedHosts === "any" ? undefined : allowsHost)
  return (host: string | undefined, origin: string | undefined): string | undefined => {
    const authority = host === undefined || !isAscii(host) ? undefined : Authority.parse(host.trim())
    if (authority === undefined) {
      if (host !== undefined) return `Host ${quote(host)} must be one name or address, with or without a port`
      if (allowedHosts !== "any") return "Host is missing"
    } else if (!allowsHost(authority)) {
      const hint = allowedHosts === loopback
        ? `: it is for this machine alone unless "allowedHosts" says otherwise`
        : ""
      return `Host ${quote(host)} is not among the allowed hosts of this server${hint}`
    }
    return origin === undefined || (isAscii(origin) && allowsOrigin(origin.trim(), authority))
      ? undefined
      : `Origin ${quote(origin)} is not among the allowed origins`
  }
}

// International names are sent in their ASCII form.
const isAscii = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text)

const quote = (text: string | undefined): string => JSON.stringify(cut(text ?? "", 200))

const all = (): boolean => true

const hostsOf = (allowed: ReadonlyArray<string> | "any"): (host: Authority.Authority) => boolean => {
  if (allowed === "any") return all
  const patterns = allowed.map(patternOf)
  return (host) =>
    patterns.some(({ below, name, port }) =>
      (below ? host.name.endsWith(`.${name}`) : host.name === name) && isPort(port, host.port)
    )
}

// A client leaves the port out where the scheme has it anyway.
const isPort = (wanted: string, given: string): boolean =>
  wanted === "" || wanted === given || (given === "" && (wanted === "80" || wanted === "443"))

const patternOf = (text: string): Authority.Authority & { readonly below: boolean } => {
  const below = text.startsWith("*.")
  const name = below ? text.slice(2) : text
  // Addresses of IPv6 may be told without brackets.
  const host = Authority.parse(/^[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*$/.test(name) ? `[${name}]` : name)
  if (host === undefined || (below && /^\[|(^|\.)\d+$/.test(host.name))) {
    throw new TypeError(
      `allowedHosts: ${quote(text)} is no host. A host is like "example.com", "example.com:8080", "[::1]" or ` +
        "\"*.example.com\"; to allow all, write \"any\" in place of the list"
    )
  }
  return { ...host, below }
}

const originsOf = (
  allowed: Options["allowedOrigins"],
  allowsHost: ((host: Authority.Authority) => boolean) | undefined
): (origin: string, host: Authority.Authority | undefined) => boolean => {
  if (allowed === "any") return all
  if (allowed !== undefined) {
    const origins = new Set(allowed.map(parse))
    return (text) => origins.has(normal(text) ?? "")
  }
  return (text, host) => {
    const origin = Authority.parseOrigin(text)
    if (origin === undefined || !Authority.isWeb(origin)) return false
    if (allowsHost === undefined) return host !== undefined && Authority.isSame(origin, host)
    return allowsHost(Authority.withPort(origin))
  }
}

const normal = (text: string): string | undefined => {
  if (text === "null") return text
  const origin = Authority.parseOrigin(text)
  return origin === undefined ? undefined : Authority.formatOrigin(origin)
}

/**
 * An origin of a setting as browsers write it: in lower case, and without the port of its scheme. Throws a `TypeError` for a
 * text that is none. `null`, which sandboxed pages and files send, is one.
 *
 * @since 0.1.0
 * @category origins
 */
export const parse = (text: string): string => {
  const origin = normal(text)
  if (origin !== undefined) return origin
  throw new TypeError(
    `allowedOrigins: ${
      quote(text)
    } is no origin. An origin is like "https://example.com" or "http://localhost:8080", ` +
      "without a path; to allow all, write \"any\" in place of the list"
  )
}
