/**
 * The extension by which the content of a tool's result travels in parts, ahead of the result. Progress needs none.
 *
 * Parts go to callers that declared it, as `notifications/tools/progress` with `progressToken`, `index` (from 0) and
 * `content`. The result always holds the whole content, so that every client works without it.
 *
 * @since 0.1.0
 */

/**
 * The key in `extensions` of the capabilities; its settings are empty.
 *
 * @since 0.1.0
 * @category constants
 */
export const ID = "io.github.mcp-effect/streaming-tools"

/**
 * The method of the notification.
 *
 * @since 0.1.0
 * @category constants
 */
export const METHOD = "notifications/tools/progress"
