/** What the keys that requestState is sealed with must be. */
import * as Redacted from "effect/Redacted"

const SHORTEST = 32

/** Why these keys cannot be used, without a word of what they are. */
export const problem = (keys: ReadonlyArray<Redacted.Redacted<string>>): string | undefined => {
  if (keys.length === 0) return "keys must hold at least one key"
  const short = keys.findIndex((key) => Redacted.value(key).length < SHORTEST)
  return short < 0 ? undefined : `a key must have at least ${SHORTEST} characters, but key ${short + 1} has fewer`
}
