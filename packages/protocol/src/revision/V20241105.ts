/** Revision 2024-11-05: the first. */
import type { Revision } from "../Revision.ts"

/** @internal */
export const revision: Revision = {
  name: "2024-11-05",
  era: "stateful",
  batches: false,
  methods: {
    serverRequests: new Set([
      "initialize",
      "ping",
      "tools/list",
      "tools/call",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "resources/subscribe",
      "resources/unsubscribe",
      "prompts/list",
      "prompts/get",
      "completion/complete",
      "logging/setLevel"
    ]),
    clientRequests: new Set(["ping", "sampling/createMessage", "roots/list"]),
    serverNotifications: new Set([
      "notifications/initialized",
      "notifications/cancelled",
      "notifications/progress",
      "notifications/roots/list_changed"
    ]),
    clientNotifications: new Set([
      "notifications/cancelled",
      "notifications/progress",
      "notifications/message",
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated",
      "notifications/prompts/list_changed"
    ])
  },
  wire: {
    fields: {
      tool: new Set(["name", "description", "inputSchema"]),
      resource: new Set(["uri", "name", "description", "mimeType", "size", "annotations"]),
      resourceTemplate: new Set(["uriTemplate", "name", "description", "mimeType", "annotations"]),
      prompt: new Set(["name", "description", "arguments"]),
      promptArgument: new Set(["name", "description", "required"])
    },
    contentTypes: new Set(["text", "image", "resource"]),
    structured: "none",
    progressMessage: false,
    invalidArguments: "error",
    results: "plain",
    completions: false,
    elicitation: "none",
    elicitationIds: false,
    samplingTools: false,
    resourceNotFound: -32002,
    missingCapability: -32600
  }
}
