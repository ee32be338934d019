/** Members of a definition that are made when they are first asked for. */

/** Keeps a value as the member of an object, in the place of the getter that has made it. */
export const keep = <A>(self: object, key: string, value: A): A => {
  Object.defineProperty(self, key, { value, enumerable: true })
  return value
}
