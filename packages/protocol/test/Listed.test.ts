/** What a server could not list is found when it is checked, before it spoils the list for everybody. */
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "@mcp-effect/protocol/Prompt"
import * as Resource from "@mcp-effect/protocol/Resource"
import * as UriTemplate from "@mcp-effect/protocol/UriTemplate"

const circular: Record<string, unknown> = {}
circular.self = circular

// Sound: that they are not is the point.
const odd = (members: object) => members as { readonly title?: string }

const wrong: ReadonlyArray<readonly [what: string, members: object, names: RegExp]> = [
  ["a bigint in its meta", { meta: { a: 1n } }, /cannot be written as JSON/],
  ["a cycle in its meta", { meta: circular }, /cannot be written as JSON/],
  ["a meta that is a list", { meta: [1] }, /_meta/],
  ["a title that is no text", { title: 5 }, /title/],
  ["a description that is null", { description: null }, /description/],
  ["icons that are no list", { icons: "https://example.com/a.png" }, /icons/],
  ["an icon for no theme", { icons: [{ src: "data:,", theme: "pink" }] }, /theme/]
]

const wrongAnnotations: typeof wrong = [
  ["an audience that nobody is", { annotations: { audience: ["robot"] } }, /audience/],
  ["a priority that is no number", { annotations: { priority: Number.NaN } }, /priority/],
  ["a priority above 1", { annotations: { priority: 1.5 } }, /priority must be from 0 to 1, and is 1.5/],
  ["a priority below 0", { annotations: { priority: -1 } }, /priority must be from 0 to 1, and is -1/],
  ["a type that is no text", { mimeType: 5 }, /mimeType/]
]

describe("what is listed", () => {
  it.each([...wrong, ...wrongAnnotations])("MUST NOT be a resource with %s", (_, members, names) => {
    const resource = Resource.make({ uri: "a:b", name: "b", ...odd(members) })
    assert.throws(() => Resource.check(resource), names)
    const template = Resource.template("a:{b}", { name: "b", ...odd(members) })
    assert.throws(() => Resource.check(template), names)
  })

  it.each(wrong)("MUST NOT be a prompt with %s", (_, members, names) => {
    assert.throws(() => Prompt.check(Prompt.make("a", odd(members))), names)
  })

  it("MUST NOT be a prompt with two arguments of one name, or one that is ill-formed", () => {
    const prompt = (...args: ReadonlyArray<Prompt.Argument>) => Prompt.dynamic("a", { arguments: args })
    assert.throws(() => Prompt.check(prompt({ name: "b" }, { name: "c" }, { name: "b" })), /two arguments named "b"/)
    // Sound: that it is none is the point.
    const odd = { name: "b", required: "yes" } as unknown as Prompt.Argument
    assert.throws(() => Prompt.check(prompt(odd)), /required/)
    Prompt.check(prompt({ name: "b" }, { name: "c", required: true }))
  })

  it("MUST NOT have a URI that is longer than any that is read, nor take long to find it out", () => {
    const of = (length: number) => Resource.make({ uri: `a:${"b".repeat(length - 2)}`, name: "b" })
    Resource.check(of(UriTemplate.MAX_URI))
    assert.throws(() => Resource.check(of(UriTemplate.MAX_URI + 1)), /has 131073 characters, and 131072 at most/)
    const long = `a:${"é ".repeat(4 * UriTemplate.MAX_URI)}`
    assert.strictEqual(Resource.normalize(long), long)
  })

  it("MUST be all that the schemas of the specification allow", () => {
    const texts = {
      title: "t",
      description: "d",
      icons: [{ src: "data:,", mimeType: "image/png", sizes: ["any"], theme: "dark" as const }],
      meta: { a: [1, null] }
    }
    const annotations = { audience: ["user" as const], priority: 0, lastModified: "2026-01-01T00:00:00Z" }
    Resource.check(Resource.make({ uri: "a:b", name: "b", size: 1, mimeType: "text/plain", annotations, ...texts }))
    Resource.check(Resource.template("a:{b}", { name: "b", mimeType: "text/plain", annotations, ...texts }))
    Prompt.check(Prompt.make("a", texts))
  })
})
