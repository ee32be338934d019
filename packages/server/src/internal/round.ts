/** One run of a handler that may ask: the answers it has, the questions it is left with, and how the two meet. */
import type { Params } from "@mcp-effect/protocol/JsonRpc"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import type { Call } from "../Call.ts"
import type { Input, InputFailed, Question } from "../Input.ts"
import * as Forward from "./forward.ts"
import * as Memo from "./memo.ts"
import * as Questions from "./questions.ts"
import type { Answer, RoundState } from "./roundState.ts"

interface Asked {
  readonly question: Question
  readonly resume: (effect: Effect.Effect<never>) => void
}

export class Round implements Input {
  /** The questions that nobody has answered, by key. Once there are some when the round ends, they are the reply. */
  readonly asked = new Map<string, Asked>()
  handler: Fiber.Fiber<unknown, unknown> | undefined
  /** How to start a fiber, once the handler has one. */
  fork: ((effect: Effect.Effect<void>) => unknown) | undefined
  private readonly known: RoundState
  private readonly unasked: Params
  // Most handlers ask nothing, and should not pay for it.
  private memo: Memo.Memo | undefined
  private keys: Questions.Keys | undefined
  /** Answers to questions that were not asked before. */
  private early: Map<string, Answer> | undefined
  private parts: number
  /** Answers to questions without a key of their own, by what was asked. */
  private open: Questions.ByDigest | undefined
  /** Questions that are being compared with answers, and who waits for that. */
  private comparing: Set<Question> | undefined
  private compared: (() => void) | undefined
  private ending = false
  private ended = false
  /** Once what was learnt is on its way to the client. */
  private told = false

  constructor(known: RoundState, unasked: Params) {
    this.known = known
    this.unasked = unasked
    this.parts = known.parts
  }

  ask(_call: Call, question: Question): Effect.Effect<Params, InputFailed> {
    return Effect.suspend(() => {
      if (this.ended) return Effect.interrupt
      this.keys ??= new Questions.Keys(this.known.answers)
      return question.key === undefined ? this.askAny(question) : this.askNamed(question, this.keys.named(question.key))
    })
  }

  private askNamed(
    question: Question,
    { given, key }: { readonly key: string; readonly given: boolean }
  ): Effect.Effect<Params, InputFailed> {
    const answer = own(this.known.answers, key)
    const unasked = given ? own(this.unasked, key) : undefined
    if (answer === undefined && unasked === undefined) return this.register(key, question)
    return Effect.flatMap(this.compare(question), (digest) => {
      if (answer !== undefined) {
        return digest === answer.digest
          ? Effect.succeed(answer.response)
          : Effect.andThen(
            warn(`The question ${JSON.stringify(key)} has changed since it was answered, and is asked again`),
            this.register(key, question)
          )
      }
      // From now on it is the answer to this question, and to no other.
      const response = isParams(unasked) ? unasked : {}
      this.early ??= new Map()
      this.early.set(key, { digest, response })
      return Effect.succeed(response)
    })
  }

  // By what it asks: in which order questions are asked at the same time may be another in every round.
  private askAny(question: Question): Effect.Effect<Params, InputFailed> {
    const open = this.open ??= Questions.byDigest(this.known.answers)
    const register = Effect.suspend(() => {
      this.keys ??= new Questions.Keys(this.known.answers)
      return this.register(this.keys.counted(question), question)
    })
    if (open.size === 0) return register
    return Effect.flatMap(this.compare(question), (digest) => {
      const answer = open.get(digest)?.shift()
      return answer === undefined ? register : Effect.succeed(answer[1].response)
    })
  }

  once<E, R>(call: Call, key: string, effect: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, E, R> {
    return Effect.suspend(() => {
      // What it yields would be forgotten, and it would run again.
      if (this.told) return Effect.interrupt
      this.memo ??= Memo.make(this.known.once)
      return this.memo.once(call, key, effect)
    })
  }

  /** Parts that went out in an earlier round do not go out again. */
  isNew(index: number): boolean {
    if (index < this.parts) return false
    this.parts = index + 1
    return true
  }

  /** What the next round needs to know. From here on nothing is added to it. */
  state(): Effect.Effect<RoundState> {
    this.ended = true
    const digests = Effect.forEach(
      [...this.asked],
      ([key, { question }]) => Effect.map(Questions.digest(question), (digest) => [key, digest] as const)
    )
    return Effect.flatMap(
      Effect.andThen(this.lost(), digests),
      (asked) =>
        Effect.map(this.memo?.idle ?? Effect.void, () => {
          this.told = true
          return {
            answers: Object.fromEntries([...Object.entries(this.known.answers), ...(this.early ?? [])]),
            asked: Object.fromEntries(asked),
            once: this.memo?.values() ?? this.known.once,
            parts: this.parts
          }
        })
    )
  }

  // A question that never stays the same would be asked for ever.
  private lost(): Effect.Effect<void> {
    const lost = [...this.open?.values() ?? []].flat().filter(([key]) => this.keys?.has(key) !== true)
    const again = [...this.asked.values()].some(({ question }) => question.key === undefined)
    const [first] = lost
    return first === undefined || !again ? Effect.void : warn(
      `${lost.length} questions are answered, such as ${
        JSON.stringify(first[0])
      }, and were not asked again as they were: ` +
        "one that changes from round to round needs a key"
    )
  }

  private compare(question: Question): Effect.Effect<string> {
    const comparing = this.comparing ??= new Set()
    return Effect.ensuring(
      Effect.suspend(() => {
        comparing.add(question)
        return Questions.digest(question)
      }),
      Effect.sync(() => {
        comparing.delete(question)
        if (comparing.size === 0) this.compared?.()
      })
    )
  }

  private register(key: string, question: Question): Effect.Effect<never> {
    return Effect.callback<never>((resume) => {
      // A digest may have been computed meanwhile.
      if (this.ended) return resume(Effect.interrupt)
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

  // Who has an answer may have another question, which is for the same round.
  private turn(): Effect.Effect<void> {
    return Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => {
        if (this.comparing === undefined || this.comparing.size === 0) return Effect.void
        const compared = Effect.callback<void>((resume) => {
          this.compared = () => resume(Effect.void)
        })
        return Effect.andThen(compared, this.turn())
      })
    )
  }

  private end(): Effect.Effect<void> {
    return this.turn().pipe(
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

const warn = (message: string): Effect.Effect<void> => Forward.outside(Effect.logWarning(message))

const own = <A>(record: { readonly [key: string]: A }, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const isParams = (u: unknown): u is Params => Predicate.isObject(u)
