/**
 * All revisions that exist, and how two sides find the one to speak. A new revision is one file in `revision/` and one
 * line here.
 *
 * @since 0.1.0
 */
import type { Era, Name, Revision } from "./Revision.ts"
import * as V20241105 from "./revision/V20241105.ts"
import * as V20250326 from "./revision/V20250326.ts"
import * as V20250618 from "./revision/V20250618.ts"
import * as V20251125 from "./revision/V20251125.ts"
import * as V20260728 from "./revision/V20260728.ts"

/**
 * Every revision, newest first.
 *
 * @since 0.1.0
 * @category revisions
 */
export const all: ReadonlyArray<Revision> = [
  V20260728.revision,
  V20251125.revision,
  V20250618.revision,
  V20250326.revision,
  V20241105.revision
]

/**
 * The names of every revision, newest first.
 *
 * @since 0.1.0
 * @category revisions
 */
export const names: ReadonlyArray<Name> = all.map((revision) => revision.name)

/**
 * The revision of a name, if there is one.
 *
 * @since 0.1.0
 * @category accessors
 */
export const get = (name: string): Revision | undefined => all.find((revision) => revision.name === name)

/**
 * The named revisions, newest first, whatever the order and repetition of the names; all of them by default.
 *
 * @since 0.1.0
 * @category accessors
 */
export const pick = (names?: ReadonlyArray<Name>): ReadonlyArray<Revision> =>
  names === undefined ? all : all.filter((revision) => names.includes(revision.name))

/**
 * Those of an era, newest first.
 *
 * @since 0.1.0
 * @category accessors
 */
export const ofEra = (revisions: ReadonlyArray<Revision>, era: Era): ReadonlyArray<Revision> =>
  revisions.filter((revision) => revision.era === era)

/**
 * The newest of these revisions whose name the other side knows too.
 *
 * @since 0.1.0
 * @category negotiation
 */
export const newestCommon = (
  revisions: ReadonlyArray<Revision>,
  names: ReadonlyArray<string>
): Revision | undefined => revisions.find((revision) => names.includes(revision.name))
