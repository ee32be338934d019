/** Completers in the context of the layer that registers them, and those that a schema is itself. */
import * as Effect from "effect/Effect"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import type { Bound, Completers } from "../Completer.ts"
import * as Invocation from "./invocation.ts"
import * as Reporter from "./reporter.ts"

/** The completers, each to run in the context of the layer. */
export const bind = <R>(completers: Completers<R>): Effect.Effect<Bound, never, Exclude<R, Scope.Scope>> =>
  Effect.map(Invocation.make<R>(), (invocation) =>
    Object.fromEntries(
      Object.entries(completers).map(([name, complete]): [string, Bound[string]] => [
        name,
        (call, ...args) => invocation.run(call, Reporter.make(call), Effect.suspend(() => complete(...args)))
      ])
    ))

/** Completers of those fields of a struct that can only be one of a few texts: those that begin with the value. */
export const ofSchema = (ast: SchemaAST.AST): Bound => {
  const encoded = SchemaAST.toEncoded(ast)
  if (encoded._tag !== "Objects") return {}
  return Object.fromEntries(
    encoded.propertySignatures.flatMap(({ name, type }): ReadonlyArray<[string, Bound[string]]> => {
      const texts = textsOf(type)
      return texts === undefined ? [] : [[String(name), (_call, value) => Effect.succeed(beginning(texts, value))]]
    })
  )
}

const beginning = (texts: ReadonlyArray<string>, value: string): ReadonlyArray<string> => {
  const start = value.toLowerCase()
  return texts.filter((text) => text.toLowerCase().startsWith(start))
}

const textsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  switch (ast._tag) {
    case "Literal":
      return typeof ast.literal === "string" ? [ast.literal] : undefined
    case "Enum":
      return ast.enums.map(([_, value]) => String(value))
    case "Union": {
      const texts = ast.types.filter((type) => type._tag !== "Undefined").map(textsOf)
      return texts.every((some) => some !== undefined) ? texts.flat() : undefined
    }
    default:
      return undefined
  }
}
