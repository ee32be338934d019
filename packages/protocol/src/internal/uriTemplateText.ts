/** Percent-encoding of URIs (RFC 3986, 2): writing it, reading it, and making two spellings of one URI the same text. */

// Most texts need nothing, and are told quickly.
const allUnreserved = /^[A-Za-z0-9\-._~]*$/

const allReserved = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*$/

const notUnreserved = /[^A-Za-z0-9\-._~]+/gu

// Triplets match too, so that they can be told from a "%" of its own.
const notReserved = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu

const isTriplet = (found: string): boolean => found.length === 3 && found.startsWith("%")

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

// Half a surrogate pair is no character, and would make `encodeURIComponent` throw.
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\uFFFD")

const component = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/g, hex)

/** Encodes all but unreserved characters; with `reserved`, leaves reserved ones and triplets as they are. */
export const encode = (text: string, reserved: boolean): string => {
  if ((reserved ? allReserved : allUnreserved).test(text)) return text
  return reserved
    ? wellFormed(text).replace(notReserved, (found) => isTriplet(found) ? found : component(found))
    : wellFormed(text).replace(notUnreserved, component)
}

/** The text that is encoded; `undefined` if that is not UTF-8. */
export const decode = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether every "%" begins a triplet, and every character is a whole one. */
export const isWellFormed = (text: string): boolean =>
  allReserved.test(text) || !/%(?![0-9A-Fa-f]{2})|\p{Surrogate}/u.test(text)

/** The one spelling of a well-formed URI: encoded where it must be, nowhere else, and in upper case. */
export const normalize = (uri: string): string =>
  allReserved.test(uri) ? uri : uri.replace(notReserved, (found) => {
    if (!isTriplet(found)) return component(found)
    const char = String.fromCharCode(Number.parseInt(found.slice(1), 16))
    return allUnreserved.test(char) ? char : found.toUpperCase()
  })

/** The first characters of a text; a triplet counts as one, as half of it says nothing. */
export const first = (text: string, count: number, triplets: boolean): string =>
  (text.match(triplets ? /%[0-9A-Fa-f]{2}|[^]/gu : /[^]/gu) ?? []).slice(0, count).join("")
