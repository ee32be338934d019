/** What is wrong with a value, in sentences that a model can act on. */
import type { ErrorObject } from "ajv"

/** At most `max` of them: `/path must be integer; /other must be string`. */
export const all = (errors: ReadonlyArray<ErrorObject> | null | undefined, max: number): string => {
  const sentences = new Set<string>()
  for (const error of errors ?? []) {
    if (sentences.size > max) break
    sentences.add(sentence(error))
  }
  const told = [...sentences].slice(0, max)
  return [...told, ...(sentences.size > max ? ["and more"] : [])].join("; ") || "is not valid"
}

const sentence = (error: ErrorObject): string => {
  const where = error.instancePath === "" ? "" : `${short(error.instancePath)} `
  const which = detail(error)
  return `${where}${error.message ?? "is not valid"}${which === undefined ? "" : `: ${which}`}`
}

// The names and values that ajv's messages leave out.
const detail = ({ keyword, params, propertyName }: ErrorObject): string | undefined => {
  switch (keyword) {
    case "additionalProperties":
      return json(params.additionalProperty)
    case "unevaluatedProperties":
      return json(params.unevaluatedProperty)
    case "enum":
      return json(params.allowedValues)
    case "const":
      return json(params.allowedValue)
    default:
      return propertyName === undefined ? undefined : json(propertyName)
  }
}

const json = (value: unknown): string => short(JSON.stringify(value) ?? "")

const short = (text: string): string => text.length > 200 ? `${text.slice(0, 200)}…` : text
