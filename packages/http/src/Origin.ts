/**
 * Where requests may come from: a web page that has made its name stand for this machine must not reach a server that
 * listens for programs of this machine only.
 *
 * Knows the headers that browsers set, and no other: what a proxy says of a client is for the proxy to check.
 *
 * Source: `basic/transports/streamable-http#security-endpoint` of revision 2026-07-28.
 *
 * @since 0.1.0
 */

/**
 * - `allowedHosts`: names that the server is reached by, as `example.com`, `example.com:8080` or `*.example.com`, or
 *   `"any"`, where what is in front of it checks them. Loopback names by default.
 * - `allowedOrigins`: origins of web pages that may call it, as `https://app.example.com`, or `"any"`. By default those
 *   whose hosts are allowed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly allowedHosts?: ReadonlyArray<string> | "any"
  readonly allowedOrigins?: ReadonlyArray<string> | "any"
}

/**
 * @since 0.1.0
 * @category constants
 */
export const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * A check of the headers of a request, names in lower case: what is wrong with where it comes from.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { allowedHosts = loopback, allowedOrigins }: Options = {}
): (headers: Readonly<Record<string, string | undefined>>) => string | undefined => {
  const isHost = allowedHosts === "any" ? () => true : matcher(allowedHosts)
  const origins = allowedOrigins === undefined || allowedOrigins === "any"
    ? undefined
    : allowedOrigins.map(normalOrigin)
  const isOrigin = (origin: string): boolean => {
    if (allowedOrigins === "any") return true
    const url = parse(origin)
    if (url === undefined || url.origin === "null") return false
    return origins === undefined ? isHost(url.host) : origins.includes(url.origin)
  }
  return ({ host, origin }) => {
    if (host === undefined || !isHost(host)) {
      return `The host ${quote(host)} is not allowed${allowedHosts === loopback ? `; ${configure}` : ""}`
    }
    return origin === undefined || isOrigin(origin) ? undefined : `The origin ${quote(origin)} is not allowed`
  }
}

const configure = "the server is meant for this machine unless `allowedHosts` says by which names it is reached"

const quote = (value: string | undefined): string =>
  value === undefined ? "(none)" : JSON.stringify(value.slice(0, 100))

const parse = (url: string): URL | undefined => URL.canParse(url) ? new URL(url) : undefined

const normalOrigin = (origin: string): string => {
  const url = parse(origin)
  if (url === undefined || url.origin === "null") {
    throw new TypeError(`allowedOrigins: ${JSON.stringify(origin)} is no origin, such as "https://example.com"`)
  }
  return url.origin
}

interface Host {
  readonly name: string
  readonly port: string
}

// As browsers read it: lower case, and no user, path or anything else about it.
const hostOf = (host: string): Host | undefined => {
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]]+)(?::\d{1,5})?$/iu.test(host)) return undefined
  const url = parse(`http://${host}`)
  if (url === undefined) return undefined
  return { name: url.hostname.replace(/\.$/u, ""), port: url.port === "" ? "80" : url.port }
}

// A name without a port stands for all of its ports.
const matcher = (allowed: ReadonlyArray<string>): (host: string) => boolean => {
  const rules = allowed.map((rule) => {
    const isWild = rule.startsWith("*.")
    const host = hostOf(isWild ? rule.slice(2) : rule)
    if (host === undefined) throw new TypeError(`allowedHosts: ${JSON.stringify(rule)} is no name of a host`)
    return { ...host, isWild, anyPort: !/:\d+$/u.test(rule) }
  })
  const known = new Map<string, boolean>()
  const matches = (given: string): boolean => {
    const host = hostOf(given)
    return host !== undefined &&
      rules.some(({ anyPort, isWild, name, port }) =>
        (isWild ? host.name.endsWith(`.${name}`) : host.name === name) && (anyPort || host.port === port)
      )
  }
  return (host) => {
    let found = known.get(host)
    if (found === undefined) {
      found = matches(host)
      // A few names are asked for, many times over.
      if (known.size < 100 && host.length < 300) known.set(host, found)
    }
    return found
  }
}
