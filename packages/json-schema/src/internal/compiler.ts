/** From a schema to its check. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import type { RegExpEngine, ValidateFunction } from "ajv/dist/types/index.js"
import * as Result from "effect/Result"
import * as Bounds from "./bounds.ts"
import type { Dialect } from "./dialect.ts"
import * as Sentences from "./sentences.ts"

type Check = (value: unknown) => string | undefined

type Make = (pattern: string, flags: string) => { readonly test: (text: string) => boolean }

interface Settings {
  readonly maxErrors: number
  readonly regExp?: Make
}

export const compile = (dialect: Dialect, schema: Params, settings: Settings): Result.Result<Check, string> => {
  try {
    if (dialect.isSchema(schema) !== true) {
      return Result.fail(`The schema is not valid JSON Schema: ${Sentences.all(dialect.isSchema.errors, 1)}`)
    }
    return Result.succeed(check(dialect, schema, settings))
  } catch (error) {
    return Result.fail(reason(error))
  }
}

// A value is checked up to its first fault. Only a small one, whose faults are few, is checked again for all of them.
const check = (dialect: Dialect, schema: Params, settings: Settings): Check => {
  const first = build(dialect, schema, settings, false)
  let every: ValidateFunction | undefined
  return (value) => {
    try {
      if (first(value)) return undefined
      if (!isSmall(value)) return Sentences.all(first.errors, settings.maxErrors)
      every ??= build(dialect, schema, settings, true)
      every(value)
      return Sentences.all(every.errors, settings.maxErrors)
    } catch (error) {
      return error instanceof RangeError ? "is nested too deeply to be checked" : reason(error)
    }
  }
}

// A new ajv each time: two schemas may have the same `$id`, and nothing that one declares may reach another.
const build = (dialect: Dialect, schema: Params, settings: Settings, allErrors: boolean): ValidateFunction => {
  const ajv = dialect.make({
    allErrors,
    // Unknown keywords and formats say nothing.
    strict: false,
    logger: false,
    validateSchema: false,
    // Otherwise every object has a "constructor".
    ownProperties: true,
    // A large definition that is referred to often would be copied as often.
    inlineRefs: 10,
    code: { optimize: false, regExp: engine(settings.regExp) }
  })
  // To ajv, `$async` makes the check a promise, which is as good as true to its caller.
  const { $async: _, ...rest } = schema
  return ajv.compile(rest)
}

// ajv tells patterns apart by `toString`. What only the older syntax allows, such as `[\w-.]`, has no "u" form.
const engine = (make: Make = (pattern, flags) => new RegExp(pattern, flags)): RegExpEngine => {
  const read = (pattern: string, flags: string) => {
    try {
      return make(pattern, flags)
    } catch {
      return make(pattern, "")
    }
  }
  const engine = (pattern: string, flags: string) => {
    const regExp = read(pattern, flags)
    return { test: (text: string) => regExp.test(text), toString: () => pattern }
  }
  return Object.assign(engine, { code: "new RegExp" })
}

const isSmall = (value: unknown): boolean => {
  let left = 1000
  const visit = (value: unknown): boolean =>
    --left >= 0 && (typeof value !== "object" || value === null || Object.values(value).every(visit))
  return visit(value)
}

const reason = (error: unknown): string => {
  if (error instanceof RangeError) return "The schema is too large to compile"
  if (!(error instanceof Error)) return "The schema cannot be compiled"
  if ("missingRef" in error) return Bounds.notInIt(String(error.missingRef))
  return `The schema cannot be compiled: ${error.message.slice(0, 300)}`
}
