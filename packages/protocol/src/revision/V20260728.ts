/** Revision 2026-07-28: stateless. Every request says its version and capabilities; results say their type. */
import { after, type Revision } from "../Revision.ts"
import * as V20251125 from "./V20251125.ts"

/** @internal */
export const revision: Revision = after(V20251125.revision, {
  name: "2026-07-28",
  era: "stateless",
  batches: false,
  add: {
    serverRequests: ["server/discover", "subscriptions/listen"],
    clientNotifications: ["notifications/subscriptions/acknowledged"]
  },
  remove: {
    serverRequests: ["initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"],
    clientRequests: ["ping", "sampling/createMessage", "roots/list", "elicitation/create"],
    serverNotifications: [
      "notifications/initialized",
      "notifications/progress",
      "notifications/roots/list_changed"
    ],
    clientNotifications: ["notifications/elicitation/complete"]
  },
  wire: {
    structured: "any",
    results: "typed",
    elicitationIds: false,
    resourceNotFound: -32602,
    missingCapability: -32021
  }
})
