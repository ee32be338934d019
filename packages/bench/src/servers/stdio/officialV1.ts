/** The official SDK, version 1, over stdio. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { makeServer } from "../officialV1.ts"

await makeServer().connect(new StdioServerTransport())
