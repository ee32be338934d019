/** All extensions of a client by what they handle, each thing by one of them. */
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { Methods } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import type { ClientExtension } from "../Extension.ts"

type Handlers<K extends "notifications" | "requests" | "resultTypes"> = ReadonlyMap<
  string,
  NonNullable<ClientExtension[K]>[string]
>

export interface Extensions {
  /** The settings by id. */
  readonly declared: Params
  readonly notifications: Handlers<"notifications">
  readonly requests: Handlers<"requests">
  readonly resultTypes: Handlers<"resultTypes">
}

/** Throws a `TypeError` for what makes no sense. */
export const make = (extensions: ReadonlyArray<ClientExtension>): Extensions => ({
  declared: Object.fromEntries(collect(extensions, "id", ({ id, settings = {} }) => {
    if (!Capabilities.isExtensionId(id)) {
      throw new TypeError(
        `McpClient: the extension ${JSON.stringify(id)} is ill-formed: it must be like "com.example/thing"`
      )
    }
    return { [id]: settings }
  })),
  notifications: collect(extensions, "notification", ({ notifications }) => notifications, isOf("Notifications")),
  requests: collect(extensions, "request", ({ requests }) => requests, isOf("Requests")),
  resultTypes: collect(
    extensions,
    "result type",
    ({ resultTypes }) => resultTypes,
    (type) => type === "complete" || type === "input_required"
  )
})

const collect = <A>(
  extensions: ReadonlyArray<ClientExtension>,
  kind: string,
  of: (extension: ClientExtension) => { readonly [key: string]: A } | undefined,
  isReserved: (key: string) => boolean = () => false
): Map<string, A> => {
  const all = new Map<string, A>()
  for (const extension of extensions) {
    for (const [key, value] of Object.entries(of(extension) ?? {})) {
      const what = `McpClient: the ${kind} ${JSON.stringify(key)} of extension ${extension.id}`
      if (isReserved(key)) throw new TypeError(`${what} belongs to the protocol`)
      if (all.has(key)) throw new TypeError(`${what} is there twice`)
      all.set(key, value)
    }
  }
  return all
}

const isOf = (kind: "Notifications" | "Requests") => {
  const kinds: ReadonlyArray<keyof Methods> = [`server${kind}`, `client${kind}`]
  return (key: string): boolean => Revisions.all.some(({ methods }) => kinds.some((kind) => methods[kind].has(key)))
}
