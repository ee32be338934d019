/** Revision 2025-03-26: batches, tool annotations, audio, a message in progress. */
import { after, type Revision } from "../Revision.ts"
import * as V20241105 from "./V20241105.ts"

/** @internal */
export const revision: Revision = after(V20241105.revision, {
  name: "2025-03-26",
  batches: true,
  fields: { tool: ["annotations"] },
  contentTypes: ["audio"],
  wire: { progressMessage: true, completions: true }
})
