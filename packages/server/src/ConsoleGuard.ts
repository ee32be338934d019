/**
 * Keeps standard output for messages: while a guard is held, what `console` would print there goes to standard error.
 * Effect's loggers and its `Console` print through `console` too.
 *
 * Knows `console`, which every platform has; what is written to the process's streams directly it does not see.
 *
 * @since 0.1.0
 */

const methods = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "timeEnd",
  "timeLog"
] as const

let held = 0
let restore = (): void => {}

/**
 * Holds a guard until what it returns is called. Guards may overlap; the last one gives `console` back as it was.
 *
 * @since 0.1.0
 * @category guarding
 */
export const hold = (): () => void => {
  if (held++ === 0) install()
  let done = false
  return () => {
    if (!done && --held === 0) restore()
    done = true
  }
}

const install = (): void => {
  const console = globalThis.console
  const originals = methods.map((method) => [method, console[method]] as const)
  for (const method of methods) {
    console[method] = (...args: Array<unknown>): void => console.error(...args)
  }
  restore = () => {
    for (const [method, original] of originals) Object.assign(console, { [method]: original })
  }
}
