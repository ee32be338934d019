/**
 * What a schema has against a value, as text for a person or a model to read.
 *
 * @since 0.1.0
 */
import * as SchemaIssue from "effect/SchemaIssue"

/**
 * A line for each problem: what was expected, what was there, and at which path.
 *
 * @since 0.1.0
 * @category formatting
 */
export const describe: (issue: SchemaIssue.Issue) => string = SchemaIssue.makeFormatterDefault()
