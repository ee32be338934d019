/** The values of headers that may be any text: as they are where that survives, in Base64 where not. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

const PREFIX = "=?base64?"
const SUFFIX = "?="

const isMarked = (value: string): boolean => value.startsWith(PREFIX) && value.endsWith(SUFFIX)

const visible = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Whether a value can be sent as it is. Not if it is empty: some that pass headers on leave such out. */
export const isPlain = (value: string): boolean => visible.test(value) && !isMarked(value)

export const encode = (value: string): string => isPlain(value) ? value : PREFIX + Base64.encode(value) + SUFFIX

/** A value that is always as it is. */
export const plain = (header: string): Result.Result<string, string> => {
  const value = trim(header)
  return allowed.test(value)
    ? Result.succeed(value)
    : Result.fail("holds other characters than visible ASCII, spaces and tabs")
}

const allowed = /^[\t\x20-\x7e]*$/

export const decode = (header: string): Result.Result<string, string> => Result.flatMap(plain(header), unmark)

const unmark = (value: string): Result.Result<string, string> => {
  // Where the marks overlap there is nothing in between, and so nothing marked.
  if (!isMarked(value) || value.length < PREFIX.length + SUFFIX.length) return Result.succeed(value)
  const base64 = value.slice(PREFIX.length, -SUFFIX.length)
  if (!canonical.test(base64)) return malformed
  const bytes = Base64.decode(base64)
  return Result.isFailure(bytes) ? malformed : text(bytes.success)
}

// Padded, and nothing in the bits that are left over: one way only to say a thing.
const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/

const malformed = Result.fail("says that it is Base64, but is not: padding and alphabet must be those of RFC 4648")

// A byte order mark is a part of the value like any other.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const text = (bytes: Uint8Array): Result.Result<string, string> => {
  try {
    return Result.succeed(utf8.decode(bytes))
  } catch {
    return Result.fail("is Base64 of what is not UTF-8")
  }
}

// No regular expression: one that ends in "at the end" takes a long time over many spaces.
const trim = (header: string): string => {
  let [start, end] = [0, header.length]
  while (start < end && isBlank(header.charCodeAt(start))) start++
  while (end > start && isBlank(header.charCodeAt(end - 1))) end--
  return header.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
