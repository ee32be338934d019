/** The notes, as a service of the program: what there is, and what becomes of it. No word of MCP. */
import { Context, Effect, Layer, Schema } from "effect"

export const Topic = Schema.Literals(["home", "work"])
export type Topic = typeof Topic.Type

export const Note = Schema.Struct({ topic: Topic, title: Schema.String, text: Schema.String })
export type Note = typeof Note.Type

export class NoSuchNote extends Schema.TaggedError<NoSuchNote>()("NoSuchNote", { title: Schema.String }) {
  override get message(): string {
    return `There is no note "${this.title}"`
  }
}

export class Notes extends Context.Service<Notes, {
  readonly all: Effect.Effect<ReadonlyArray<Note>>
  readonly find: (topic: Topic, title: string) => Effect.Effect<Note, NoSuchNote>
  readonly save: (note: Note) => Effect.Effect<void>
  readonly remove: (topic: Topic, title: string) => Effect.Effect<void, NoSuchNote>
  readonly nextNumber: Effect.Effect<number>
}>()("notes/Notes") {
  static readonly layer = Layer.sync(Notes, () => {
    const notes = new Map<string, Note>()
    const key = (topic: Topic, title: string) => `${topic}/${title}`
    let number = 0
    return {
      all: Effect.sync(() => [...notes.values()]),
      find: (topic, title) =>
        Effect.suspend(() => {
          const note = notes.get(key(topic, title))
          return note === undefined ? Effect.fail(new NoSuchNote({ title })) : Effect.succeed(note)
        }),
      save: (note) => Effect.sync(() => void notes.set(key(note.topic, note.title), note)),
      remove: (topic, title) =>
        Effect.suspend(() => notes.delete(key(topic, title)) ? Effect.void : Effect.fail(new NoSuchNote({ title }))),
      nextNumber: Effect.sync(() => ++number)
    }
  })
}
