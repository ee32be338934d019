/**
 * The environment that a child gets unless it is told otherwise: what programs need to run, and no secrets of the parent.
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const names = [
  // POSIX
  "HOME",
  "LANG",
  "LC_ALL",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  // Windows
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE"
]

export const minimal: Effect.Effect<Record<string, string>> = Effect.gen(function*() {
  // The process's own variables, whatever configuration the program was given.
  const provider = ConfigProvider.fromEnv()
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = yield* Effect.option(Config.String(name).parse(provider))
    // A shell function that was exported as a variable is code; it stays here.
    if (Option.isSome(value) && !value.value.startsWith("()")) found[name] = value.value
  }
  return found
})
