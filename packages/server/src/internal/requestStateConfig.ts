/** The keys that requestState is sealed with, from the configuration. Apart, as `effect/Config` takes long to load. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Keys from "./requestStateKeys.ts"

const NAME = "MCP_REQUEST_STATE_KEYS"

/** The keys, the newest first; `undefined` if there are none. */
export const keys: Effect.Effect<
  readonly [Redacted.Redacted<string>, ...Array<Redacted.Redacted<string>>] | undefined,
  Config.ConfigError
> = Effect.flatMap(Config.option(Config.Redacted(NAME)), (text) => {
  const [first, ...rest] = Option.match(text, {
    onNone: () => [],
    onSome: (text) => Redacted.value(text).split(",").map((key) => key.trim()).filter((key) => key !== "")
  }).map((key) => Redacted.make(key))
  if (first === undefined) return Effect.succeed(undefined)
  const problem = Keys.problem([first, ...rest])
  return problem === undefined ? Effect.succeed([first, ...rest] as const) : Effect.fail(
    new Config.ConfigError(
      new Schema.SchemaError(new SchemaIssue.InvalidValue({ message: `${NAME}: ${problem}` }))
    )
  )
})
