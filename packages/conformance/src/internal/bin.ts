/** The command of the official conformance suite. */
import { fileURLToPath } from "node:url"

export const bin = fileURLToPath(new URL("../../node_modules/.bin/conformance", import.meta.url))
