/** What is wrong with the binary data that a handler has given as text: a client could not read it. */
import type * as Content from "@mcp-effect/protocol/Content"
import type { Contents } from "@mcp-effect/protocol/Resource"

/** What is wrong with the contents of a resource, in a sentence. */
export const problemOf = (contents: Contents): string | undefined => {
  if (!("blob" in contents)) return undefined
  if ("text" in contents) return `the contents of ${contents.uri} hold both text and a blob`
  return isBase64(contents.blob) ? undefined : `the blob of ${contents.uri} is not base64`
}

/** What is wrong with a piece of content. */
export const problemOfContent = (content: Content.Content): string | undefined => {
  switch (content.type) {
    case "image":
    case "audio":
      return isBase64(content.data) ? undefined : `the data of the ${content.type} is not base64`
    case "resource":
      return problemOf(content.resource)
    default:
      return undefined
  }
}

// With its padding (RFC 4648, 4). Nothing is looked at twice: it may be large.
const isBase64 = (text: string): boolean => {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding))
}
