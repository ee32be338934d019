/** Revision 2025-11-25: icons; invalid arguments are for the model to read; url elicitation. */
import { after, type Revision } from "../Revision.ts"
import * as V20250618 from "./V20250618.ts"

/** @internal */
export const revision: Revision = after(V20250618.revision, {
  name: "2025-11-25",
  batches: false,
  add: { clientNotifications: ["notifications/elicitation/complete"] },
  fields: { tool: ["icons"], resource: ["icons"], resourceTemplate: ["icons"], prompt: ["icons"] },
  wire: { invalidArguments: "result", elicitation: "full", elicitationIds: true, samplingTools: true }
})
