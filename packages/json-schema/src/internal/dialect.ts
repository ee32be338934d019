/** The dialects of JSON Schema that ajv speaks, each loaded when a schema first asks for it. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { Ajv, Options, ValidateFunction } from "ajv"
import * as Effect from "effect/Effect"

/** A dialect in memory: a new ajv for each schema, and the check that a schema is one. */
export interface Dialect {
  readonly make: (options: Options) => Ajv
  readonly isSchema: ValidateFunction
}

/** Where a dialect is to be had. */
export interface Source {
  readonly name: string
  readonly load: () => Promise<{ new(options: Options): Ajv }>
}

const latest: Source = {
  name: "https://json-schema.org/draft/2020-12/schema",
  load: () => import("ajv/dist/2020.js").then((m) => m.Ajv2020)
}
const sources: ReadonlyArray<Source> = [
  latest,
  {
    name: "https://json-schema.org/draft/2019-09/schema",
    load: () => import("ajv/dist/2019.js").then((m) => m.Ajv2019)
  },
  { name: "http://json-schema.org/draft-07/schema", load: () => import("ajv").then((m) => m.Ajv) }
]

/** The dialect of a schema, if it is known. Names are written with either scheme, and an empty fragment or none. */
export const of = ({ $schema }: Params): Source | undefined => {
  if ($schema === undefined) return latest
  if (typeof $schema !== "string") return undefined
  const bare = $schema.replace(/#$/, "").replace(/^https?:/, "")
  return sources.find((source) => source.name.replace(/^https?:/, "") === bare)
}

export const unsupported = ({ $schema }: Params): string =>
  `The schema is written in a dialect that is not supported: ${JSON.stringify($schema).slice(0, 200)}; supported: ${
    sources.map((source) => source.name).join(", ")
  }`

const loaded = new Map<Source, Promise<Dialect>>()

export const load = (source: Source): Effect.Effect<Dialect, string> =>
  Effect.tryPromise({
    try: () => {
      const dialect = loaded.get(source) ?? start(source)
      loaded.set(source, dialect)
      return dialect
    },
    catch: (cause) => `ajv could not be loaded: ${String(cause)}`
  })

const start = async (source: Source): Promise<Dialect> => {
  const [Ajv, { default: formats }] = await Promise.all([source.load(), import("ajv-formats")])
  const isSchema = new Ajv({ strict: false, logger: false }).getSchema(source.name)
  if (isSchema === undefined) throw new Error(`It does not know ${source.name}`)
  return { make: (options) => formats.default(new Ajv(options)).removeKeyword("id"), isSchema }
}
