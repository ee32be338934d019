/** What changes the notes: a tool for everybody, with the help of the user and a model, and one for editors only. */
import { Content, Elicitation, type Principal, Resource, Sampling, Tool } from "@mcp-effect/protocol"
import { Changes, ClientInput, McpServer } from "@mcp-effect/server"
import { Effect, Layer, Schema } from "effect"
import { NoSuchNote, type Note, Notes, Topic } from "./Notes.ts"
import { Index, OneNote } from "./Reading.ts"

export const Draft = Tool.make("draft", {
  description: "Asks the user for a title and a tone, and has a model write the note",
  input: { topic: Topic, about: Schema.String },
  needs: { elicitation: { form: {} }, sampling: {} }
})

export const Remove = Tool.make("remove", {
  description: "Removes a note",
  input: { topic: Topic, title: Schema.String },
  failure: NoSuchNote,
  annotations: { destructiveHint: true }
})

// Whoever watches the note, or the list of all, hears of it.
const changed = (note: Pick<Note, "topic" | "title">) =>
  Effect.forEach([Index.uri, Resource.expand(OneNote, note)], (uri) => McpServer.changed(Changes.resource(uri)))

const draft = Effect.fnUntraced(function*({ about, topic }: Tool.Input<typeof Draft>) {
  const notes = yield* Notes
  // In 2026-07-28 the handler runs again with each answer; the draft keeps the number that it got first.
  const number = yield* ClientInput.once("number", notes.nextNumber)
  const answer = yield* ClientInput.elicit(Elicitation.form({
    message: `Draft ${number} is about ${about}. How is it to be?`,
    fields: {
      title: Schema.NonEmptyString.annotate({ title: "Title", default: `Draft ${number}` }),
      tone: Elicitation.choices({ dry: "To the point", warm: "Friendly" })
    }
  }))
  if (answer._tag !== "Accept") return "Nothing was written"

  const { title, tone } = answer.content
  const message = yield* ClientInput.sample(
    Sampling.make({ messages: `A ${tone} note about ${about}`, maxTokens: 500 })
  )
  yield* notes.save({ topic, title, text: Sampling.textOf(message) })
  yield* changed({ topic, title })
  yield* Effect.logInfo(`Wrote "${title}"`)
  return Content.resourceLink({ uri: Resource.expand(OneNote, { topic, title }), name: title })
})

const isEditor = (principal: Principal.Principal | undefined) => principal?.scopes.includes("notes:edit") ?? false

export const Writing = Layer.mergeAll(
  McpServer.tool(Draft, draft),
  McpServer.tool(
    Remove,
    (note) =>
      Notes.use(({ remove }) => remove(note.topic, note.title)).pipe(
        Effect.andThen(changed(note)),
        Effect.as(`Removed "${note.title}"`)
      ),
    { visibleTo: isEditor }
  )
)
