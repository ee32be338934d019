/** Texts of the formats that a form can ask for. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

// Cheap and generous: only sending a message shows whether an address is one.
const EMAIL = /^[^\s@]+@[^\s@]+$/u
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/u
const DATE = /^\d{4}-\d{2}-\d{2}$/u
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/u

export const isUri = (text: string): boolean => URI.test(text)

export const isUrl = (text: string): boolean => isUri(text) && URL.canParse(text)

export const email = Schema.String.check(
  Schema.isPattern(EMAIL, { expected: "an e-mail address", format: "email" })
)

export const uri = Schema.String.check(Schema.isPattern(URI, { expected: "a URI", format: "uri" }))

// A day that its month does not have becomes one of the next month.
const isDate = (text: string): boolean =>
  DATE.test(text) && Option.exists(DateTime.make(text), (date) => DateTime.formatIsoDate(date) === text)

const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[Tt]$/u.test(text.charAt(10)) && TIME.test(text.slice(11))

export const date = Schema.String.check(
  Schema.makeFilter(isDate, { expected: "a date such as 2026-07-28", format: "date" })
)

export const dateTime = Schema.String.check(
  Schema.makeFilter(isDateTime, { expected: "a date and time such as 2026-07-28T12:00:00Z", format: "date-time" })
)
