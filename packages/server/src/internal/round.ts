/** One run of a handler that may ask: the answers it has, the questions it is left with, and how the two meet. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import type { Call } from "../Call.ts"
import type { Input, InputFailed, Question } from "../Input.ts"
import { digest } from "./crypto.ts"
import * as Memo from "./memo.ts"
import type { RoundState } from "./roundState.ts"

interface Asked {
  readonly question: Question
  readonly resume: (effect: Effect.Effect<never>) => void
}

// What runs once may not ask: its round could not end before it, and it could not end before its round.
export const InsideOnce: Context.Reference<boolean> = Context.Reference("@mcp-effect/server/InsideOnce", {
  defaultValue: () => false
})

export class Round implements Input {
  /** The questions that nobody has answered, by key. Once there are some when the round ends, they are the reply. */
  readonly asked = new Map<string, Asked>()
  handler: Fiber.Fiber<unknown, unknown> | undefined
  /** How to start a fiber, once the handler has one. */
  fork: ((effect: Effect.Effect<void>) => unknown) | undefined
  private answers: RoundState["answers"]
  private readonly unasked: Params
  private readonly known: RoundState["once"]
  // Most handlers ask nothing, and should not pay for it.
  private memo: Memo.Memo | undefined
  /** How often each key was used in this run: one who asks again wants another answer. */
  private uses: Map<string, number> | undefined
  private parts: number
  private ending = false
  private ended = false

  constructor(known: RoundState, unasked: Params) {
    this.answers = known.answers
    this.unasked = unasked
    this.known = known.once
    this.parts = known.parts
  }

  ask(_call: Call, question: Question): Effect.Effect<Params, InputFailed> {
    return Effect.withFiber((fiber) => {
      if (this.ended) return Effect.interrupt
      if (fiber.getRef(InsideOnce)) return Effect.die(new TypeError("ClientInput.once: what runs once may not ask"))
      const key = this.keyOf(question)
      const answer = own(this.answers, key)
      const unasked = question.key === undefined ? undefined : own(this.unasked, key)
      if (answer === undefined && unasked === undefined) return this.register(key, question)
      return Effect.flatMap(digest(textOf(question)), (digest) => {
        if (answer !== undefined) {
          return digest === answer.digest ? Effect.succeed(answer.response) : this.register(key, question)
        }
        // From now on it is the answer to this question, and to no other.
        const response = isParams(unasked) ? unasked : {}
        this.answers = { ...this.answers, [key]: { digest, response } }
        return Effect.succeed(response)
      })
    })
  }

  once<E, R>(_call: Call, key: string, effect: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, E, R> {
    this.memo ??= Memo.make(this.known)
    return this.memo.once(key, Effect.provideService(effect, InsideOnce, true))
  }

  /** Parts that went out in an earlier round do not go out again. */
  isNew(index: number): boolean {
    if (index < this.parts) return false
    this.parts = index + 1
    return true
  }

  /** What the next round needs to know. */
  state(): Effect.Effect<RoundState> {
    return Effect.map(
      Effect.forEach(
        [...this.asked],
        ([key, { question }]) => Effect.map(digest(textOf(question)), (digest) => [key, digest] as const)
      ),
      (asked) => ({
        answers: this.answers,
        asked: Object.fromEntries(asked),
        once: this.memo?.values() ?? this.known,
        parts: this.parts
      })
    )
  }

  private keyOf({ key, method }: Question): string {
    const [kind = method] = method.split("/")
    this.uses ??= new Map()
    const count = (this.uses.get(key ?? method) ?? 0) + 1
    this.uses.set(key ?? method, count)
    if (key === undefined) return `${kind}-${count}`
    return count === 1 ? key : `${key}-${count}`
  }

  private register(key: string, question: Question): Effect.Effect<never> {
    return Effect.callback<never>((resume) => {
      const asked: Asked = { question, resume }
      this.asked.set(key, asked)
      if (!this.ending) {
        this.ending = true
        this.fork?.(this.end())
      }
      // Who does not want to know any more, while there is time, has not asked.
      return Effect.sync(() => {
        if (!this.ended && this.asked.get(key) === asked) this.asked.delete(key)
      })
    })
  }

  private end(): Effect.Effect<void> {
    return Effect.yieldNow.pipe(
      // What runs once is neither cut off nor run again.
      Effect.andThen(Effect.suspend(() => this.memo?.idle ?? Effect.void)),
      Effect.andThen(Effect.suspend(() => {
        this.ending = false
        if (this.asked.size === 0) return Effect.void
        this.ended = true
        this.handler?.interruptUnsafe()
        return Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => {
            // Those where nothing can be interrupted.
            for (const { resume } of this.asked.values()) resume(Effect.interrupt)
          })
        )
      }))
    )
  }
}

const own = <A>(record: { readonly [key: string]: A }, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const isParams = (u: unknown): u is Params => Predicate.isObject(u)

const textOf = ({ method, params }: Question): string => JSON.stringify([method, params])
