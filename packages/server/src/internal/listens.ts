/** The changes that somebody may hear of, and the members of a filter that ask for them. */
import type { Feature, Interest, Listening } from "../Call.ts"
import type { Change } from "../Changes.ts"

/** Changes of one kind. */
export const to = ({ method }: Change): Listening => ({ honoured: true, matches: (change) => change.method === method })

/** A member that is `true` for those who want to hear of one kind of change. */
export const flag = (change: Change): Feature["listens"][string] => {
  const listening = to(change)
  return (requested) => requested === true ? listening : undefined
}

/** What any of these matches; the first that does says what is coarser. */
export const any = (interests: ReadonlyArray<Interest>): Interest => {
  const of = (change: Change): Interest | undefined => interests.find((interest) => interest.matches(change))
  return {
    matches: (change) => of(change) !== undefined,
    coarse: (change) => of(change)?.coarse?.(change)
  }
}
