/** Which question is which: a name for each of one run, and a digest of what it asks. */
import type * as Effect from "effect/Effect"
import type { Question } from "../Input.ts"
import * as Crypto from "./crypto.ts"
import type { Answer, RoundState } from "./roundState.ts"

/** Names for the questions of one run: who asks again under a key wants another answer, so no name is given twice. */
export class Keys {
  private readonly taken = new Set<string>()
  private readonly counts = new Map<string, number>()
  private readonly answers: RoundState["answers"]

  constructor(answers: RoundState["answers"]) {
    this.answers = answers
  }

  /** `given`: the name is the handler's own, and not made by counting. */
  named(key: string): { readonly key: string; readonly given: boolean } {
    const name = this.next(key, (count) => count === 1 ? key : `${key}-${count}`)
    return { key: name, given: name === key }
  }

  /** A name that no answer has yet. */
  counted({ method }: Question): string {
    const [kind = method] = method.split("/")
    return this.next(method, (count) => `${kind}-${count}`, this.answers)
  }

  has(key: string): boolean {
    return this.taken.has(key)
  }

  private next(of: string, nameOf: (count: number) => string, but: RoundState["answers"] = {}): string {
    let count = this.counts.get(of) ?? 0
    let name: string
    do {
      name = nameOf(++count)
    } while (this.taken.has(name) || Object.hasOwn(but, name))
    this.counts.set(of, count)
    this.taken.add(name)
    return name
  }
}

/** Answers with their keys, in the order in which they came. */
export type ByDigest = Map<string, Array<readonly [key: string, answer: Answer]>>

/** Answers by what was asked, which may be the same for several. */
export const byDigest = (answers: RoundState["answers"]): ByDigest => {
  const all: ByDigest = new Map()
  for (const entry of Object.entries(answers)) {
    const same = all.get(entry[1].digest)
    if (same === undefined) all.set(entry[1].digest, [entry])
    else same.push(entry)
  }
  return all
}

/** What is asked. With its key, so that an answer to one who gave a key is for nobody who gave none. */
export const digest = ({ key, method, params }: Question): Effect.Effect<string> =>
  Crypto.digest(JSON.stringify(key === undefined ? [method, params] : [method, params, key]))
