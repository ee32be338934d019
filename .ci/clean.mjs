// Removes everything that the compiler wrote, so that no output outlives its source.
import { readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folders = ["", "scratchpad", ...readdirSync(join(root, "packages")).map((name) => join("packages", name))]
for (const folder of folders) {
  for (const output of ["dist", ".tsbuild"]) rmSync(join(root, folder, output), { recursive: true, force: true })
}
