/** What everybody may read: a list of the notes, each note, and a prompt about one. */
import { Content, Prompt, Resource } from "@mcp-effect/protocol"
import { type Completer, McpServer } from "@mcp-effect/server"
import { Effect, Layer, Schema } from "effect"
import { Notes, Topic } from "./Notes.ts"

export const Index = Resource.make({ uri: "notes://index", name: "index", mimeType: "text/markdown" })

export const OneNote = Resource.template("notes://{topic}/{title}", {
  name: "note",
  mimeType: "text/markdown",
  variables: { topic: Topic }
})

export const Discuss = Prompt.make("discuss", {
  title: "Discuss a note",
  arguments: {
    topic: Topic,
    title: Schema.String.annotate({ description: "The title of the note" }),
    points: Schema.optionalKey(Schema.FiniteFromString).annotate({ description: "How many points to make" })
  }
})

// Titles that begin like this one, of the topic if that was given before. A topic is one of a few, and completes itself.
const title: Completer.Completer<Notes> = (value, context) =>
  Effect.map(
    Notes.use(({ all }) => all),
    (notes) =>
      notes.flatMap(({ title, topic }) =>
        title.startsWith(value) && topic === (context.arguments.topic ?? topic) ? [title] : []
      )
  )

export const Reading = Layer.mergeAll(
  McpServer.resource(
    Index,
    () =>
      Effect.map(Notes.use(({ all }) => all), (notes) =>
        [
          "# Notes",
          ...notes.map((note) => `- [${note.title}](${Resource.expand(OneNote, note)})`)
        ].join("\n"))
  ),
  McpServer.resourceTemplate(
    OneNote,
    ({ title, topic }) =>
      Notes.use(({ find }) => find(topic, title)).pipe(
        Effect.map(({ text }) => text),
        // There is no such resource.
        Effect.orElseSucceed(() => undefined)
      ),
    { complete: { title } }
  ),
  McpServer.prompt(
    Discuss,
    ({ points = 3, title, topic }) =>
      Effect.map(Notes.use(({ find }) => find(topic, title)), (note) => [
        Content.resource({ uri: Resource.expand(OneNote, note), mimeType: "text/markdown", text: note.text }),
        `Make ${points} points about this note.`
      ]),
    { complete: { title } }
  )
)
