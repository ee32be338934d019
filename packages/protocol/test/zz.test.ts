import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Effect from "effect/Effect"
import { it } from "@effect/vitest"
it("x", () => {
  const s = Schema.Struct({
    j: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
    k: Schema.Date.pipe(Schema.withDecodingDefaultKey(Effect.succeed(new Date()))),
    kk: Schema.Date.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(new Date()))),
    o: Schema.optionalKey(Schema.Date),
  })
  console.log(JSON.stringify(Schema.toJsonSchemaDocument(s)))
  console.log(JSON.stringify(Schema.toJsonSchemaDocument(Schema.toCodecJson(s))))
  const enc = SchemaAST.toEncoded(Schema.toCodecJson(s).ast)
  console.log(JSON.stringify(Schema.toJsonSchemaDocument(Schema.make(enc))))
  const a = Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(5)).annotate({ title: "T", default: "abc" }).ast
  console.dir(a, { depth: 6 })
  console.dir(s.ast.propertySignatures[0], { depth: 7 })
})
