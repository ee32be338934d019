import { assert, describe, it } from "@effect/vitest"
import type * as Revision from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Schema from "effect/Schema"

const names: ReadonlyArray<Revision.Name> = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
const [first, second, third, fourth, fifth] = names.map((name) => Revisions.get(name)!) as [
  Revision.Revision,
  Revision.Revision,
  Revision.Revision,
  Revision.Revision,
  Revision.Revision
]

const sorted = (set: ReadonlySet<string>) => [...set].toSorted()

// As the schema of each revision lists them. Tasks (2025-11-25) are an experiment that no capability here declares.
const serverRequests = [
  "completion/complete",
  "initialize",
  "logging/setLevel",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "tools/call",
  "tools/list"
]
const serverNotifications = [
  "notifications/cancelled",
  "notifications/initialized",
  "notifications/progress",
  "notifications/roots/list_changed"
]
const clientNotifications = [
  "notifications/cancelled",
  "notifications/message",
  "notifications/progress",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/tools/list_changed"
]

const methods: Record<Revision.Name, Record<keyof Revision.Methods, ReadonlyArray<string>>> = {
  "2024-11-05": {
    serverRequests,
    clientRequests: ["ping", "roots/list", "sampling/createMessage"],
    serverNotifications,
    clientNotifications
  },
  "2025-03-26": {
    serverRequests,
    clientRequests: ["ping", "roots/list", "sampling/createMessage"],
    serverNotifications,
    clientNotifications
  },
  "2025-06-18": {
    serverRequests,
    clientRequests: ["elicitation/create", "ping", "roots/list", "sampling/createMessage"],
    serverNotifications,
    clientNotifications
  },
  "2025-11-25": {
    serverRequests,
    clientRequests: ["elicitation/create", "ping", "roots/list", "sampling/createMessage"],
    serverNotifications,
    clientNotifications: [...clientNotifications, "notifications/elicitation/complete"]
  },
  "2026-07-28": {
    serverRequests: [
      "completion/complete",
      "prompts/get",
      "prompts/list",
      "resources/list",
      "resources/read",
      "resources/templates/list",
      "server/discover",
      "subscriptions/listen",
      "tools/call",
      "tools/list"
    ],
    clientRequests: [],
    serverNotifications: ["notifications/cancelled"],
    clientNotifications: [...clientNotifications, "notifications/subscriptions/acknowledged"]
  }
}

describe("methods", () => {
  for (const name of names) {
    it(`${name}: MUST be those of its schema, and no others`, () => {
      const table = Revisions.get(name)!.methods
      for (const kind of ["serverRequests", "clientRequests", "serverNotifications", "clientNotifications"] as const) {
        assert.deepStrictEqual(sorted(table[kind]), [...methods[name][kind]].toSorted(), kind)
      }
    })
  }
})

const without = (set: ReadonlySet<string>, before: ReadonlySet<string>) => sorted(set).filter((x) => !before.has(x))

describe("the wire", () => {
  it("tool fields MUST only be added, each in its revision", () => {
    assert.deepStrictEqual(sorted(first.wire.fields.tool), ["description", "inputSchema", "name"])
    assert.deepStrictEqual(without(second.wire.fields.tool, first.wire.fields.tool), ["annotations"])
    assert.deepStrictEqual(without(third.wire.fields.tool, second.wire.fields.tool), ["_meta", "outputSchema", "title"])
    assert.deepStrictEqual(without(fourth.wire.fields.tool, third.wire.fields.tool), ["icons"])
    assert.deepStrictEqual(without(fifth.wire.fields.tool, fourth.wire.fields.tool), [])
    for (const [i, revision] of [second, third, fourth, fifth].entries()) {
      const before = [first, second, third, fourth][i]!
      assert.deepStrictEqual(without(before.wire.fields.tool, revision.wire.fields.tool), [])
      assert.deepStrictEqual(without(before.wire.contentTypes, revision.wire.contentTypes), [])
    }
  })

  it("content types MUST be those of the schema", () => {
    assert.deepStrictEqual(sorted(first.wire.contentTypes), ["image", "resource", "text"])
    assert.deepStrictEqual(without(second.wire.contentTypes, first.wire.contentTypes), ["audio"])
    assert.deepStrictEqual(without(third.wire.contentTypes, second.wire.contentTypes), ["resource_link"])
    assert.strictEqual(fifth.wire.contentTypes.size, 5)
  })

  const each = <A>(f: (revision: Revision.Revision) => A) => names.map((name) => f(Revisions.get(name)!))

  it("the rest MUST change where the specification changed", () => {
    assert.deepStrictEqual(each((r) => r.era), ["stateful", "stateful", "stateful", "stateful", "stateless"])
    assert.deepStrictEqual(each((r) => r.batches), [false, true, false, false, false])
    assert.deepStrictEqual(each((r) => r.wire.progressMessage), [false, true, true, true, true])
    assert.deepStrictEqual(each((r) => r.wire.structured), ["none", "none", "object", "object", "any"])
    assert.deepStrictEqual(each((r) => r.wire.invalidArguments), ["error", "error", "error", "result", "result"])
    assert.deepStrictEqual(each((r) => r.wire.results), ["plain", "plain", "plain", "plain", "typed"])
    assert.deepStrictEqual(each((r) => r.wire.resourceNotFound), [-32002, -32002, -32002, -32002, -32602])
  })
})

describe("choosing", () => {
  const Names = Schema.Array(Schema.Literals([...names, "1999-01-01", "draft"]))
  const Own = Schema.Array(Schema.Literals(names))

  it("all MUST be every revision once, newest first", () => {
    assert.deepStrictEqual(Revisions.names, [...names].toReversed())
    assert.deepStrictEqual(Revisions.all.map((revision) => revision.name), Revisions.names)
  })

  it("a name MUST have at most one revision", () => {
    for (const name of names) assert.strictEqual(Revisions.get(name)?.name, name)
    assert.strictEqual(Revisions.get("1999-01-01"), undefined)
    assert.strictEqual(Revisions.get("__proto__"), undefined)
  })

  it.prop("picked revisions MUST be newest first, whatever the order and repetition", [Own], ([own]) => {
    const expected = [...new Set(own)].toSorted().toReversed()
    assert.deepStrictEqual(Revisions.pick(own).map((revision) => revision.name), expected)
  })

  it("without names, every revision MUST be picked", () => {
    assert.strictEqual(Revisions.pick(), Revisions.all)
    assert.deepStrictEqual(Revisions.pick([]), [])
  })

  it("an era MUST keep the order", () => {
    assert.deepStrictEqual(Revisions.ofEra(Revisions.all, "stateful"), [fourth, third, second, first])
    assert.deepStrictEqual(Revisions.ofEra(Revisions.all, "stateless"), [fifth])
  })

  it.prop("the newest in common MUST be in both, and none in both is newer", [Own, Names], ([own, theirs]) => {
    const common = Revisions.newestCommon(Revisions.pick(own), theirs)
    const both = own.filter((name) => theirs.includes(name))
    assert.strictEqual(common?.name, both.toSorted().at(-1))
  })

  it.prop("two sides MUST agree, whichever asks", [Own, Own], ([one, other]) => {
    const pick = (own: typeof one, theirs: typeof one) => Revisions.newestCommon(Revisions.pick(own), theirs)
    assert.strictEqual(pick(one, other), pick(other, one))
  })
})
