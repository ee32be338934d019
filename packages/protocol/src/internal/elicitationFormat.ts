/** Texts of the formats that a form can ask for. */
import * as Schema from "effect/Schema"

// Cheap and generous: only sending a message shows whether an address is one.
const EMAIL = /^[^\s@]+@[^\s@]+$/u
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/u
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/u
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/u

export const isUri = (text: string): boolean => URI.test(text)

export const email = Schema.String.check(
  Schema.isPattern(EMAIL, { expected: "an e-mail address", format: "email" })
)

export const uri = Schema.String.check(Schema.isPattern(URI, { expected: "a URI", format: "uri" }))

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysOf = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

const isDate = (text: string): boolean => {
  const [year, month, day] = DATE.exec(text)?.slice(1).map(Number) ?? []
  return year !== undefined && month !== undefined && day !== undefined &&
    month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[Tt]$/u.test(text.charAt(10)) && TIME.test(text.slice(11))

export const date = Schema.String.check(
  Schema.makeFilter(isDate, { expected: "a date such as 2026-07-28", format: "date" })
)

export const dateTime = Schema.String.check(
  Schema.makeFilter(isDateTime, { expected: "a date and time such as 2026-07-28T12:00:00Z", format: "date-time" })
)
