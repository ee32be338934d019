// Installs the workspace when its manifests have changed, then runs a tool from it on the workspace's own Node:
//   node .ci/setup.mjs [tool] [arguments...]
// Needs only Node 20 or newer with npm. Says nothing when there is nothing to do.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const stampFile = join(modules, ".setup-stamp")

const read = (path) => readFileSync(path, "utf8")
const manifest = (folder) => JSON.parse(read(join(folder, "package.json")))
const fail = (message) => {
  console.error(message)
  process.exit(1)
}

const stamp = () => {
  const packages = readdirSync(join(root, "packages")).toSorted().map((name) => `packages/${name}/package.json`)
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", "scratchpad/package.json", ...packages]
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`)
  for (const file of files) if (existsSync(join(root, file))) hash.update(`\0${file}\0`).update(read(join(root, file)))
  return hash.digest("hex")
}

const findNode = () => ["node.exe", "node"].map((name) => join(modules, "node", "bin", name)).find(existsSync)

const install = (wanted) => {
  const pnpm = manifest(root).packageManager
  const started = Date.now()
  console.error(`Installing the workspace with ${pnpm} (once; this can take a minute) ...`)
  // Through a shell, because npx is a script on Windows.
  const result = spawnSync(`npx --yes ${pnpm} install --frozen-lockfile`, {
    cwd: root,
    // CI keeps pnpm from asking anything.
    env: { ...process.env, CI: "true" },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 28,
    shell: true
  })
  if (result.error) fail(`Set-up failed: ${result.error.message}`)
  if (result.status !== 0) {
    const advice = "Set-up failed, see above. Is npx there, the npm registry reachable, pnpm-lock.yaml up to date?"
    fail(`${result.stdout}${result.stderr}\n${advice}`)
  }
  if (findNode() === undefined) fail("Set-up failed: the package \"node\" holds no binary for this platform.")
  writeFileSync(stampFile, wanted)
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`)
}

const run = (tool, args) => {
  const folder = join(modules, tool)
  if (!existsSync(folder)) fail(`Unknown tool "${tool}": the root package.json does not depend on it.`)
  const { bin } = manifest(folder)
  const entry = createRequire(join(folder, "package.json")).resolve(`./${typeof bin === "string" ? bin : bin[tool]}`)
  // On Windows the variable may be called Path.
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH"
  const path = [join(modules, ".bin"), process.env[key]].join(delimiter)
  const child = spawn(findNode(), [entry, ...args], { env: { ...process.env, [key]: path }, stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => fail(`${tool} did not start: ${error.message}`))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20) fail(`Node 20 or newer is needed to set up; this is ${major}.${minor}.`)

const wanted = stamp()
const ready = existsSync(stampFile) && read(stampFile) === wanted && findNode() !== undefined
if (!ready) install(wanted)

const [tool, ...args] = process.argv.slice(2)
if (tool !== undefined) run(tool, args)
