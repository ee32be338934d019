/**
 * What tools return and prompts are made of: text, images, audio, links to resources, and resources themselves.
 *
 * Binary data is base64 text, as on the wire; the constructors take bytes too.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import { Icon } from "./Implementation.ts"
import type { Params } from "./JsonRpc.ts"
import type { Wire } from "./Revision.ts"

const Meta = Schema.Record(Schema.String, Schema.Unknown)

/**
 * For whom a piece of content is, how much it matters (0 to 1), and when it last changed (ISO 8601).
 *
 * @since 0.1.0
 * @category schemas
 */
export const Annotations = Schema.Struct({
  audience: Schema.optionalKey(Schema.Array(Schema.Literals(["user", "assistant"]))),
  priority: Schema.optionalKey(Schema.Finite),
  lastModified: Schema.optionalKey(Schema.String)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Annotations = typeof Annotations.Type

const extra = { annotations: Schema.optionalKey(Annotations), _meta: Schema.optionalKey(Meta) }

/**
 * @since 0.1.0
 * @category schemas
 */
export const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...extra })

/**
 * @since 0.1.0
 * @category schemas
 */
export const Image = Schema.Struct({
  type: Schema.Literal("image"),
  data: Schema.String,
  mimeType: Schema.String,
  ...extra
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const Audio = Schema.Struct({
  type: Schema.Literal("audio"),
  data: Schema.String,
  mimeType: Schema.String,
  ...extra
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const ResourceLink = Schema.Struct({
  type: Schema.Literal("resource_link"),
  uri: Schema.String,
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  mimeType: Schema.optionalKey(Schema.String),
  size: Schema.optionalKey(Schema.Finite),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  ...extra
})

/**
 * The contents of a resource: `text`, or `blob` in base64.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceContents = Schema.Union([
  Schema.Struct({
    uri: Schema.String,
    mimeType: Schema.optionalKey(Schema.String),
    text: Schema.String,
    _meta: Schema.optionalKey(Meta)
  }),
  Schema.Struct({
    uri: Schema.String,
    mimeType: Schema.optionalKey(Schema.String),
    blob: Schema.String,
    _meta: Schema.optionalKey(Meta)
  })
])

/**
 * @since 0.1.0
 * @category schemas
 */
export const EmbeddedResource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: ResourceContents,
  ...extra
})

/**
 * Any piece of content.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Content = Schema.Union([Text, Image, Audio, ResourceLink, EmbeddedResource])

/**
 * @since 0.1.0
 * @category models
 */
export type Content = typeof Content.Type

interface Extra {
  readonly annotations?: Annotations
  readonly _meta?: Params
}

interface Binary extends Extra {
  readonly data: string | Uint8Array
  readonly mimeType: string
}

const base64 = (data: string | Uint8Array): string => typeof data === "string" ? data : Base64.encode(data)

/**
 * @since 0.1.0
 * @category constructors
 */
export const text = (text: string, extra?: Extra): Content => ({ type: "text", text, ...extra })

/**
 * An image; `data` is bytes, or base64 text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const image = (image: Binary): Content => ({ type: "image", ...image, data: base64(image.data) })

/**
 * Sound; `data` is bytes, or base64 text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const audio = (audio: Binary): Content => ({ type: "audio", ...audio, data: base64(audio.data) })

/**
 * A link to a resource that the client can read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resourceLink = (link: Omit<typeof ResourceLink.Type, "type">): Content => ({
  type: "resource_link",
  ...link
})

/**
 * A resource, embedded: `text`, or `blob` as bytes or base64 text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resource = (
  resource:
    & { readonly uri: string; readonly mimeType?: string }
    & (
      | { readonly text: string }
      | { readonly blob: string | Uint8Array }
    ),
  extra?: Extra
): Content => ({
  type: "resource",
  resource: "blob" in resource ? { ...resource, blob: base64(resource.blob) } : resource,
  ...extra
})

/**
 * Content as a revision can write it: what it has no kind for becomes the nearest kind that it has.
 *
 * @since 0.1.0
 * @category wire
 */
export const toWire = (content: Content, wire: Wire): Content => {
  if (wire.contentTypes.has(content.type)) return content
  switch (content.type) {
    case "audio":
      return resource({ uri: "attachment:audio", mimeType: content.mimeType, blob: content.data })
    case "resource_link":
      return text(`${content.title ?? content.name}: ${content.uri}`)
    default:
      return content
  }
}
