/** What the compiler says of completers: the names there are, and what each is given. */
import { describe, it } from "@effect/vitest"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import type { Completer, Completers } from "@mcp-effect/server/Completer"
import * as McpServer from "@mcp-effect/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Review } from "./completing.ts"

const empty = () => Effect.succeed("")
const nothing: Completer = () => Effect.succeed([])

const Page = Resource.template("wiki:///{lang}/{page}", { name: "page", variables: { lang: Schema.String } })

describe("the type of completers", () => {
  it("MUST refuse an argument that the prompt does not have, in a sentence that names it", () => {
    McpServer.prompt(Review, empty, { complete: { language: nothing } })
    // @ts-expect-error: There is no nope to complete
    McpServer.prompt(Review, empty, { complete: { nope: nothing } })
    // @ts-expect-error: the same for one that is added
    McpServer.addPrompt(Review, empty, { complete: { language: nothing, nope: nothing } })
    // @ts-expect-error: a prompt without arguments
    McpServer.prompt(Prompt.make("bare", {}), empty, { complete: { nope: nothing } })
  })

  it("MUST refuse a variable that the template does not have", () => {
    McpServer.resourceTemplate(Page, empty, { complete: { lang: nothing, page: nothing } })
    // @ts-expect-error: There is no nope to complete
    McpServer.resourceTemplate(Page, empty, { complete: { nope: nothing } })
    // @ts-expect-error: the same for one that is added
    McpServer.addResourceTemplate(Page, empty, { complete: { lang: nothing, nope: nothing } })
  })

  it("MUST allow any name where it is not known what there is", () => {
    const template: Resource.ResourceTemplate = Page
    McpServer.resourceTemplate(template, empty, { complete: { any: nothing } })
    McpServer.prompt(Prompt.dynamic("p", { arguments: [{ name: "a" }] }), empty, { complete: { any: nothing } })
    const some: Completers = { language: nothing }
    McpServer.prompt(Review, empty, { complete: some })
  })

  it("MUST know what a completer is given", () => {
    const texts = (value: string, { language = "" }: Readonly<Record<string, string>>) =>
      Effect.succeed([value, language])
    McpServer.prompt(Review, empty, { complete: { framework: (value, context) => texts(value, context.arguments) } })
    McpServer.resourceTemplate(Page, empty, { complete: { page: (value, context) => texts(value, context.arguments) } })
    // @ts-expect-error: a completer yields texts
    McpServer.prompt(Review, empty, { complete: { framework: () => Effect.succeed(1) } })
  })
})
