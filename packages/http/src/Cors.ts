/**
 * What browsers ask before they let a web page of another origin use a server, and what they let it read.
 *
 * For all routes of a router. Protects nobody: what may reach the server at all, `Origin` decides.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Origin from "./Origin.ts"

/**
 * - `allowedOrigins`: the origins of the web pages that may, such as `https://example.com`; `"any"`: all. The server's own
 *   `allowedOrigins` has to have them too.
 * - `exposedHeaders`: what a page may read of responses, besides what MCP needs.
 * - `maxAge`: for how long a browser need not ask again (default 2 hours, more than which few browsers heed).
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly allowedOrigins: ReadonlyArray<string> | "any"
  readonly exposedHeaders?: ReadonlyArray<string>
  readonly maxAge?: Duration.Input
}

/**
 * Answers the questions of browsers, on all routes of the router. A page may send whatever headers it asks for: which ones
 * repeat parameters of tools (`Mcp-Param-*`), only the tools know. Cookies are not sent along.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<never, never, HttpRouter.HttpRouter> => {
  const { allowedOrigins } = options
  // To the router no origin at all means every origin.
  if (allowedOrigins.length === 0) return Layer.empty
  return HttpRouter.cors({
    allowedOrigins: allowedOrigins === "any" ? [] : allowedOrigins.map(Origin.parse),
    allowedMethods: ["GET", "POST", "DELETE", "OPTIONS"],
    // No list: those that the browser asks for.
    allowedHeaders: [],
    exposedHeaders: [...exposed, ...options.exposedHeaders ?? []],
    maxAge: Math.floor(Duration.toSeconds(Duration.fromInputUnsafe(options.maxAge ?? "2 hours")))
  })
}

const exposed = ["Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate"]
