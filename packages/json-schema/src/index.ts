/**
 * JSON Schema validation for MCP, on ajv.
 *
 * @since 0.1.0
 */
export * as AjvValidator from "./AjvValidator.ts"
