/**
 * A server whose features are those of another.
 *
 * @since 0.1.0
 */
export * as Proxy from "./Proxy.ts"
