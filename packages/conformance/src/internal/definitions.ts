/**
 * Which definition of a revision's schema a message must satisfy, by who sends it and its method; read from the schema's
 * own unions of what each side can say.
 */
import type * as Revision from "@mcp-effect/protocol/Revision"
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv"
import formats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Shipped from "./shippedSchemas.ts"

/** Who sends a message. */
export type Side = "client" | "server"

/** The definitions of a request and of its results: the plain one, and others told apart by a member. */
export interface Exchange {
  readonly request: string
  readonly result: string
  readonly inputRequired: boolean
  readonly task: boolean
}

/** A revision's definitions. */
export interface Definitions {
  readonly requests: { readonly [side in Side]: ReadonlyMap<string, Exchange> }
  readonly notifications: { readonly [side in Side]: ReadonlyMap<string, string> }
  readonly errors: ReadonlyMap<number, string>
  readonly success: string
  readonly failure: string
  /** Why a value does not satisfy a definition. */
  readonly fault: (definition: string, value: unknown) => string | undefined
}

const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown => {
  let here = value
  for (const key of path) {
    if (typeof here !== "object" || here === null) return undefined
    here = Reflect.get(here, key)
  }
  return here
}

const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const methodOf = (definition: Shipped.Schema | undefined): string | undefined => {
  const method = at(definition, "properties", "method", "const")
  return typeof method === "string" ? method : undefined
}

const UNIONS = ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"]

// The definitions that a union lists. One of a single member is written as that member itself.
const members = ({ definitions, pointer }: Shipped.Document, union: string): ReadonlyArray<string> => {
  const definition = definitions[union]
  const method = methodOf(definition)
  if (method === undefined) {
    return list(definition?.anyOf).map((member) => String(at(member, "$ref")).slice(pointer.length))
  }
  return Object.keys(definitions).filter((name) => !UNIONS.includes(name) && methodOf(definitions[name]) === method)
}

const byMethod = <A>(
  document: Shipped.Document,
  union: string,
  make: (name: string) => A
): ReadonlyMap<string, A> =>
  new Map(members(document, union).map((name) => [methodOf(document.definitions[name]) ?? name, make(name)]))

// What a task can be made of.
const TASKS = ["tools/call", "sampling/createMessage", "elicitation/create"]

const exchange = ({ definitions, pointer }: Shipped.Document) => (request: string): Exchange => {
  const stem = request.slice(0, -"Request".length)
  const result = `${stem}Result`
  const results = list(at(definitions[`${result}Response`], "properties", "result", "anyOf"))
  return {
    request,
    result: result in definitions ? result : "EmptyResult",
    inputRequired: results.some((member) => at(member, "$ref") === `${pointer}InputRequiredResult`),
    task: "CreateTaskResult" in definitions && TASKS.includes(methodOf(definitions[request]) ?? "")
  }
}

const errorCodes = ({ definitions }: Shipped.Document): ReadonlyMap<number, string> =>
  new Map(
    Object.entries(definitions).flatMap(([name, definition]) =>
      list(at(definition, "properties", "error", "allOf")).flatMap((part): ReadonlyArray<[number, string]> => {
        const code = at(part, "properties", "code", "const")
        return typeof code === "number" ? [[code, name]] : []
      })
    )
  )

const validators = ({ definitions, dialect, pointer }: Shipped.Document) => {
  const options: Options = { strict: false, logger: false, allErrors: true, ownProperties: true }
  const ajv = dialect.includes("2020-12") ? new Ajv2020(options) : new Ajv(options)
  formats.default(ajv)
  ajv.addSchema({ $id: "mcp:schema", [pointer.slice(2, -1)]: definitions })
  const compiled = new Map<string, ValidateFunction>()
  return (definition: string): ValidateFunction => {
    const validate = compiled.get(definition) ?? ajv.compile({ $ref: `mcp:schema${pointer}${definition}` })
    compiled.set(definition, validate)
    return validate
  }
}

// An alternative whose constants do not fit was not meant, so its faults say nothing. The deepest faults come first.
const sentence = (definition: string, errors: ReadonlyArray<ErrorObject>): string => {
  const alternative = ({ schemaPath }: ErrorObject) => schemaPath.split("/").slice(0, 3).join("/")
  const unmeant = new Set(errors.filter(({ keyword }) => keyword === "const").map(alternative))
  const meant = errors.filter((error) => !unmeant.has(alternative(error)))
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length
  const sorted = (meant.length > 0 ? meant : errors).toSorted((a, b) => depth(b) - depth(a))
  const told = sorted.slice(0, 3).map(({ instancePath, keyword, message, params }) => {
    const allowed = keyword === "const" || keyword === "enum" ? ` ${JSON.stringify(Object.values(params)[0])}` : ""
    return `${instancePath === "" ? "it" : instancePath} ${message ?? keyword}${allowed}`
  })
  return `no ${definition}: ${told.join("; ")}${sorted.length > 3 ? `; and ${sorted.length - 3} more` : ""}`
}

const make = (document: Shipped.Document): Definitions => {
  const validator = validators(document)
  const first = (...names: ReadonlyArray<string>) => names.find((name) => name in document.definitions) ?? "Result"
  const same = (name: string) => name
  return {
    requests: {
      client: byMethod(document, "ClientRequest", exchange(document)),
      server: byMethod(document, "ServerRequest", exchange(document))
    },
    notifications: {
      client: byMethod(document, "ClientNotification", same),
      server: byMethod(document, "ServerNotification", same)
    },
    errors: errorCodes(document),
    success: first("JSONRPCResultResponse", "JSONRPCResponse"),
    failure: first("JSONRPCErrorResponse", "JSONRPCError"),
    fault: (definition, value) => {
      const validate = validator(definition)
      return validate(value) ? undefined : sentence(definition, validate.errors ?? [])
    }
  }
}

let loaded: ReadonlyMap<Revision.Name, Definitions> | undefined

// All are read with the first.
const all = (): ReadonlyMap<Revision.Name, Definitions> =>
  loaded ??= new Map(Array.from(Shipped.load(), ([name, document]) => [name, make(document)]))

/** The definitions of a revision. */
export const of = (revision: Revision.Name): Definitions => {
  const found = all().get(revision)
  if (found === undefined) throw new Error(`There is no schema of ${revision}`)
  return found
}

/** Whether some revision has this method, for either side. */
export const isKnown = (method: string): boolean =>
  Array.from(all().values()).some(({ notifications, requests }) =>
    [requests.client, requests.server, notifications.client, notifications.server].some((table) => table.has(method))
  )
