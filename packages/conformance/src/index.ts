/**
 * What holds the messages of this project against the specification.
 *
 * @since 0.1.0
 */
export * as WireSchema from "./WireSchema.ts"
