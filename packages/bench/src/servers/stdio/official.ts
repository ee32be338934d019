/** The official SDK, version 2, over stdio. */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { makeServer } from "../official.ts"

serveStdio(makeServer)
