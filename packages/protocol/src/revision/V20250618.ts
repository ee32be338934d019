/** Revision 2025-06-18: no batches; titles, structured output, resource links, elicitation. */
import { after, type Revision } from "../Revision.ts"
import * as V20250326 from "./V20250326.ts"

/** @internal */
export const revision: Revision = after(V20250326.revision, {
  name: "2025-06-18",
  batches: false,
  add: { clientRequests: ["elicitation/create"] },
  fields: {
    tool: ["title", "outputSchema", "_meta"],
    resource: ["title", "_meta"],
    resourceTemplate: ["title", "_meta"],
    prompt: ["title", "_meta"],
    promptArgument: ["title"]
  },
  contentTypes: ["resource_link"],
  wire: { structured: "object", elicitation: "plain" }
})
