/** The servers that are measured, by transport. The first is the floor, which the others are compared with. */

export type Era = "stateful" | "stateless"

export interface Candidate {
  /** The file in the transport's folder of `servers`. */
  readonly file: string
  readonly name: string
  readonly eras: ReadonlyArray<Era>
}

export interface HttpCandidate extends Candidate {
  /** The newest revision of the stateful era that it speaks. */
  readonly revision: string
  /** Why it is left out of a measure of an era that it lacks. */
  readonly lacks?: string
}

const both: ReadonlyArray<Era> = ["stateful", "stateless"]

export const stdio: ReadonlyArray<Candidate> = [
  { file: "floor", name: "hand-written", eras: both },
  { file: "mcpEffect", name: "mcp-effect", eras: both },
  { file: "officialV1", name: "official SDK v1", eras: ["stateful"] },
  { file: "official", name: "official SDK v2", eras: both },
  { file: "effectAi", name: "effect/ai", eras: both }
]

export const http: ReadonlyArray<HttpCandidate> = [
  { file: "floor", name: "hand-written", eras: both, revision: "2025-11-25" },
  { file: "mcpEffect", name: "mcp-effect", eras: both, revision: "2025-11-25" },
  {
    file: "officialV1",
    name: "official SDK v1",
    eras: ["stateful"],
    revision: "2025-11-25",
    lacks: "speaks revisions up to 2025-11-25"
  },
  { file: "official", name: "official SDK v2", eras: both, revision: "2025-11-25" },
  { file: "effectAi", name: "effect/ai", eras: both, revision: "2025-11-25" },
  {
    file: "mcpLite",
    name: "mcp-lite (2025-06-18)",
    eras: ["stateful"],
    revision: "2025-06-18",
    lacks: "speaks revisions up to 2025-06-18"
  }
]
