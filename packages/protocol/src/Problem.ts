/**
 * What a schema has against a value, as text for a person or a model to read.
 *
 * @since 0.1.0
 */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

const format = SchemaIssue.makeFormatterDefault()

// Names of members are those of whoever sent them, and may be of any length.
const LONGEST = 4096

/**
 * A line for each problem: what was expected, what was there, and at which path. What is too long to be read is cut off.
 *
 * @since 0.1.0
 * @category formatting
 */
export const describe = (issue: SchemaIssue.Issue): string => cut(format(issue), LONGEST)

/**
 * A text, or its beginning if it is longer than `most` code units: what quotes the other side may be of any length.
 *
 * @since 0.1.0
 * @category formatting
 */
export const cut = (text: string, most: number): string =>
  // Not within a character: half of it is no text, and some readers refuse a message for it.
  text.length <= most ? text : `${text.slice(0, most).replace(/\p{Surrogate}$/u, "")}...`

// More problems than this help nobody.
const VALUES = 1000

/**
 * How to decode what somebody else has sent: all that is wrong is told, or, of a large value, the first. A message of a
 * few megabytes may hold a million problems, which would take seconds.
 *
 * @since 0.1.0
 * @category decoding
 */
export const thoroughly = (input: unknown): SchemaAST.ParseOptions => count(input, 0) > VALUES ? first : all

const all: SchemaAST.ParseOptions = { errors: "all" }

const first: SchemaAST.ParseOptions = { errors: "first" }

// No further than needed.
const count = (value: unknown, before: number): number => {
  let counted = before + 1
  if (typeof value !== "object" || value === null) return counted
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && counted <= VALUES; index++) counted = count(value[index], counted)
    return counted
  }
  for (const name in value) {
    if (counted > VALUES) break
    counted = count((value as Record<string, unknown>)[name], counted)
  }
  return counted
}
