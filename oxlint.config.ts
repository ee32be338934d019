import { defineConfig, type OxlintOverride } from "oxlint"

// What the sources of each package may import, besides their own files. Dependencies point one way.
const effect = ["effect"]
const layers = [...effect, "@mcp-effect/protocol", "@mcp-effect/server", "@mcp-effect/client"]
const packages: Record<string, ReadonlyArray<string>> = {
  protocol: effect,
  server: [...effect, "@mcp-effect/protocol"],
  client: [...effect, "@mcp-effect/protocol"],
  memory: layers,
  proxy: layers,
  stdio: layers,
  http: layers,
  testing: [...layers, "vitest", "@effect/vitest"],
  "json-schema": [...effect, "@mcp-effect/protocol", "ajv", "ajv-formats"]
}

// These packages know no transport and no platform.
const portable = ["protocol", "server", "client"]
const transports = ["http", "http-api", "socket", "process", "Stdio"].map((name) => `effect/${name}`)

// A revision imports only its predecessor.
const revisions = ["V20241105", "V20250326", "V20250618", "V20251125", "V20260728"]

const within = (names: ReadonlyArray<string>) => names.flatMap((name) => [name, `${name}/**`])

const crossing = { regex: "\\.\\./[a-z-]+/src/", message: "Import another package by its name." }

// An override replaces a rule's earlier options, so each call states the whole list. A group is read in order and its
// last match wins; "[!.]*/**" is every path that is not relative. A name allowed by "!" is not shown to later patterns.
const imports = (
  name: string,
  allowed: ReadonlyArray<string>,
  more: ReadonlyArray<typeof crossing> = []
): NonNullable<OxlintOverride["rules"]> => {
  const denied = portable.includes(name) ? transports : []
  const except = denied.length === 0 ? "" : `, without ${denied.join(", ")}`
  const message = `The package "${name}" may import only ${allowed.join(", ")}${except}.`
  const group = ["[!.]*/**", ...within(allowed).map((path) => `!${path}`), ...within(denied)]
  return {
    "no-restricted-imports": ["error", {
      paths: [{ name: "effect", message: "Library code imports effect/<Module>." }],
      patterns: [{ group, message }, { regex: "^[^./][^/]*$", message }, crossing, ...more]
    }]
  }
}

const banned = (message: string, ...names: ReadonlyArray<string>) => names.map((name) => ({ name, message }))

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  env: { builtin: true, es2023: true, "shared-node-browser": true },
  options: { reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["**/node_modules/**", "**/dist/**", "**/.tsbuild/**"],
  rules: {
    "import/no-cycle": "error",
    "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
    "no-restricted-imports": ["error", {
      paths: banned("Import @effect/platform-node/<Module>: the barrel costs 0.7 s at start.", "@effect/platform-node"),
      patterns: [crossing]
    }],
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_" }],
    "typescript/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
    "typescript/no-explicit-any": "error",
    // Effect's idioms: module namespaces, _tag, generators without yield, a copy made before its source changes.
    "no-shadow": "off",
    "no-underscore-dangle": "off",
    "require-yield": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/no-useless-spread": "off",
    // Assertions live in Effects and in the suites' own functions, where the rule does not see them.
    "vitest/expect-expect": "off"
  },
  overrides: [
    {
      files: ["packages/*/src/**"],
      excludeFiles: ["packages/bench/**", "packages/conformance/**"],
      rules: {
        "no-console": "error",
        "no-restricted-globals": ["error", {
          checkGlobalObject: true,
          globals: [
            ...banned("Time comes only from Effect's clock.", "Date", "performance"),
            ...banned("Time comes only from Effect's clock.", "setTimeout", "setInterval", "setImmediate"),
            ...banned("Library code runs on every platform.", "process", "Buffer")
          ]
        }],
        "unicorn/filename-case": ["error", { case: "pascalCase", ignore: ["^(index|main)\\.ts$"] }]
      }
    },
    { files: ["packages/*/src/internal/**"], rules: { "unicorn/filename-case": ["error", { case: "camelCase" }] } },
    ...Object.entries(packages).map(([name, allowed]) => ({
      files: [`packages/${name}/src/**`],
      rules: imports(name, allowed)
    })),
    // The suites that stores of others run: vitest is an optional peer, and nothing else of the package may need it.
    {
      files: ["StoreContract", "internal/sessionRules", "internal/eventRules"].map((name) =>
        `packages/http/src/${name}.ts`
      ),
      rules: imports("http", [...layers, "vitest", "@effect/vitest"])
    },
    { files: ["packages/protocol/src/revision/**"], rules: { "max-lines": "off" } },
    ...revisions.map((revision, i) => {
      const others = revisions.filter((_, k) => k !== i - 1).join("|")
      const only = { regex: `/(${others})\\.ts$`, message: "A revision imports only its predecessor." }
      return { files: [`packages/protocol/src/revision/${revision}.ts`], rules: imports("protocol", effect, [only]) }
    }),
    { files: ["**/test/**"], rules: { "max-lines-per-function": "off" } }
  ]
})
