/** Opaque cursors: the key that a page ends with. A list may change between two pages without losing its place. */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"

const PREFIX = "after:"

export const encode = (key: string): string => Base64Url.encode(PREFIX + key)

export const decode = (cursor: unknown): string | undefined => {
  if (typeof cursor !== "string") return undefined
  const text = Base64Url.decodeString(cursor)
  return Result.isSuccess(text) && text.success.startsWith(PREFIX) ? text.success.slice(PREFIX.length) : undefined
}
