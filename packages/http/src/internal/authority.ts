/** Hosts and origins, as headers and settings name them, in the one form that they are compared in. */

/** `name` is lower case, in ASCII, without a last dot; IPv6 addresses are in brackets. No `port`: that of the scheme. */
export interface Authority {
  readonly name: string
  readonly port: string
}

export interface Origin extends Authority {
  readonly scheme: string
}

const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\[\],%*<>^`{|}"]+)(?::(\d{0,5}))?$/

/** A host with or without a port, and nothing else: no credentials, no list. */
export const parse = (text: string): Authority | undefined => {
  const [, host, port = ""] = parts.exec(text) ?? []
  const name = host === undefined ? undefined : nameOf(host)
  if (name === undefined || Number(port) > 65_535) return undefined
  return { name, port: port === "" ? "" : String(Number(port)) }
}

// What a browser would call it: lower case, the ASCII form of international names, and one form of an address.
const nameOf = (host: string): string | undefined => {
  const url = `http://${host}/`
  if (!URL.canParse(url)) return undefined
  const name = new URL(url).hostname.replace(/\.$/, "")
  return name === "" || name.startsWith(".") || name.includes("..") || name.endsWith(".") ? undefined : name
}

/** The ports that schemes have anyway. Which of them a `Host` without a port means, only the client knows. */
const defaults: Readonly<Record<string, string>> = { http: "80", https: "443", ws: "80", wss: "443" }

const form = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i

/** An origin as browsers send it: no path, no credentials, no list. `null` is none. */
export const parseOrigin = (text: string): Origin | undefined => {
  const [, name = "", rest = ""] = form.exec(text) ?? []
  const authority = parse(rest)
  if (authority === undefined) return undefined
  const scheme = name.toLowerCase()
  return { ...authority, scheme, port: authority.port === defaults[scheme] ? "" : authority.port }
}

export const isWeb = ({ scheme }: Origin): boolean => scheme === "http" || scheme === "https"

/** An origin's authority with the port that its scheme means. */
export const withPort = ({ name, port, scheme }: Origin): Authority => ({
  name,
  port: port === "" ? defaults[scheme] ?? "" : port
})

/** Whether both are the same place, as far as a `Host` can say. */
export const isSame = (origin: Origin, host: Authority): boolean =>
  origin.name === host.name && origin.port === (host.port === defaults[origin.scheme] ? "" : host.port)

export const formatOrigin = ({ name, port, scheme }: Origin): string =>
  port === "" ? `${scheme}://${name}` : `${scheme}://${name}:${port}`
