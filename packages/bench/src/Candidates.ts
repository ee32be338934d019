/** The servers that are measured. The first is the floor, which the others are compared with. */

export type Era = "stateful" | "stateless"

export interface Candidate {
  /** The file in `servers`. */
  readonly file: string
  readonly name: string
  readonly eras: ReadonlyArray<Era>
}

export const candidates: ReadonlyArray<Candidate> = [
  { file: "floor", name: "hand-written", eras: ["stateful", "stateless"] },
  { file: "mcpEffect", name: "mcp-effect", eras: ["stateful", "stateless"] },
  { file: "officialV1", name: "official SDK v1", eras: ["stateful"] },
  { file: "official", name: "official SDK v2", eras: ["stateful", "stateless"] },
  { file: "effectAi", name: "effect/ai", eras: ["stateful", "stateless"] }
]
