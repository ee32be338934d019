/** `pnpm bench <stdio|http> [--rounds <n>] [--quick] [--only <file,...>]`: the benchmarks, by transport. */
import { parseArgs } from "node:util"
import { http } from "./http.ts"
import { stdio } from "./stdio.ts"

const usage = `pnpm bench <stdio|http> [options]

  --rounds <n>     rounds, each with fresh processes (default 5; 2 with --quick)
  --quick          500 ms of warm-up instead of 2 s, and 300 ms instead of 1 s for each measurement
  --only <files>   only these servers beside the floor, by file: mcpEffect,official,officialV1,effectAi,
                   and, over HTTP, mcpLite`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" }
  }
})
const rounds = Number(values.rounds ?? (values.quick ? 2 : 5))
const bench = new Map(Object.entries({ stdio, http })).get(positionals.join(" "))

if (bench === undefined || !Number.isInteger(rounds) || rounds < 1) {
  console.error(usage)
  process.exitCode = 1
} else {
  await bench({
    rounds,
    // V8 compiles for a second or two under load; before that, a framework costs twice what it costs for good.
    warmUpMs: values.quick ? 500 : 2000,
    measureMs: values.quick ? 300 : 1000,
    only: values.only.split(",").filter((file) => file !== "")
  })
}
