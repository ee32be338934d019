import { defineConfig } from "vitest/config"

// One project per package. Packages export their sources, so tests need no build.
const names = [
  "protocol",
  "server",
  "client",
  "memory",
  "stdio",
  "http",
  "proxy",
  "json-schema",
  "testing",
  "conformance"
]

const project = (name: string, root: string) => ({
  extends: true as const,
  test: { name, root, include: ["test/**/*.test.ts"] }
})

export default defineConfig({
  test: {
    projects: [...names.map((name) => project(name, `packages/${name}`)), project("scratchpad", "scratchpad")]
  }
})
