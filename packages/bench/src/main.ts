/** `npm run bench <stdio|http|client> -- [--rounds <n>] [--quick] [--only <file,...>]`: the benchmarks, by transport. */
import { parseArgs } from "node:util"
import * as Candidates from "./Candidates.ts"
import { candidates as clients, client } from "./client.ts"
import { http } from "./http.ts"
import { stdio } from "./stdio.ts"

const usage = `npm run bench <stdio|http|client> -- [options]

  --rounds <n>     rounds, each with fresh processes (default 5 over stdio, 2 else; 1 with --quick)
  --quick          a rough look: 500 ms of warm-up instead of seconds, and 400 ms instead of 1 s for each measure
  --only <files>   only these servers or clients beside the floor, by file: mcpEffect,official,officialV1,effectAi,
                   and, over HTTP, mcpLite
  --help           this text`

const benches = new Map([
  // V8 compiles for a second or two under load; before that, a framework costs twice what it costs for good.
  ["stdio", { run: stdio, candidates: Candidates.stdio, rounds: 5, warmUpMs: 2000 }],
  // Over HTTP there is more to compile, and servers take turns instead of more rounds.
  ["http", { run: http, candidates: Candidates.http, rounds: 2, warmUpMs: 3000 }],
  ["client", { run: client, candidates: clients, rounds: 2, warmUpMs: 2000 }]
])

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string" },
        quick: { type: "boolean", default: false },
        only: { type: "string", default: "" },
        help: { type: "boolean", default: false }
      }
    })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return undefined
  }
}

const given = read()
const bench = benches.get(given?.positionals.join(" ") ?? "")
const { help = false, only = "", quick = false, rounds: text } = given?.values ?? {}
const rounds = text === undefined ? (quick ? 1 : bench?.rounds) : Number(text)
const files = only.split(",").filter((file) => file !== "")
const isKnown = (name: string): boolean => bench?.candidates.some(({ file }) => file === name) === true

if (help) {
  console.log(usage)
} else if (
  bench === undefined || rounds === undefined || !Number.isInteger(rounds) || rounds < 1 || !files.every(isKnown)
) {
  console.error(usage)
  process.exitCode = 1
} else {
  await bench.run({
    rounds,
    warmUpMs: quick ? 500 : bench.warmUpMs,
    measureMs: quick ? 400 : 1000,
    only: files
  })
}
