/**
 * The trace that a request belongs to, in its `_meta`, as the W3C writes it.
 *
 * Source: "OpenTelemetry trace context" in `basic/index#meta` of revision 2026-07-28; harmless in the earlier ones.
 *
 * @since 0.1.0
 */
import * as Tracer from "effect/Tracer"
import { type Params } from "./JsonRpc.ts"
import * as Meta from "./Meta.ts"

/**
 * The `_meta` members that carry a span.
 *
 * @since 0.1.0
 * @category wire
 */
export const toMeta = (span: Tracer.AnySpan): Params => ({
  traceparent: `00-${span.traceId.padStart(32, "0")}-${span.spanId.padStart(16, "0")}-${span.sampled ? "01" : "00"}`
})

/**
 * The span that parameters carry, if they carry a well-formed one.
 *
 * @since 0.1.0
 * @category wire
 */
export const fromParams = (params: Params | undefined): Tracer.ExternalSpan | undefined => {
  const traceparent = Meta.of(params)?.traceparent
  if (typeof traceparent !== "string") return undefined
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(traceparent)
  const [, traceId, spanId, flags] = match ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined || /^0+$/.test(traceId)) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/**
 * The name and attributes of a request's span, in the words of OpenTelemetry's conventions for MCP.
 *
 * @since 0.1.0
 * @category spans
 */
export const describe = (
  method: string,
  params: Params | undefined,
  revision: string
): { readonly name: string; readonly attributes: Record<string, unknown> } => {
  const target = typeof params?.name === "string" ? params.name : undefined
  return {
    name: target === undefined ? method : `${method} ${target}`,
    attributes: {
      "mcp.method.name": method,
      "mcp.protocol.version": revision,
      ...(method === "tools/call" ? { "gen_ai.tool.name": target } : {}),
      ...(method === "prompts/get" ? { "gen_ai.prompt.name": target } : {})
    }
  }
}
