/** The rules that every transport must pass, for clients of one era and a server of the other, with a proxy between them. */
import * as WireSchema from "@mcp-effect/conformance/WireSchema"
import { InMemory } from "@mcp-effect/memory"
import { Proxy } from "@mcp-effect/proxy"
import * as TransportContract from "@mcp-effect/testing/TransportContract"
import * as Layer from "effect/Layer"
import { only } from "./only.ts"

const proxied = (era: "stateful" | "stateless") =>
  WireSchema.transport(Layer.fresh(InMemory.layer).pipe(Layer.provide(Proxy.layer()), Layer.provide(only(era))))

// What handlers, middleware and extensions see is the era of the server, and what is declared is for all clients of the proxy.
const except = [
  "MUST wrap the requests of clients that declared the extension, and leave those of the others as they are",
  "MUST tell a handler who asks what, in which revision, and with what in `_meta`",
  "MUST show middleware the method and the revision of every request",
  "MUST serve the method of an extension to clients that declared it, and tell the others what is missing",
  "MUST serve methods of one's own, with typed parameters and results, or any",
  "MUST refuse parameters that do not fit such a method, and reply with the error that it fails with",
  "MUST hand over notifications of one's own in the order in which they come, and pass over others",
  "MUST declare an extension with its settings, whoever asks",
  "MUST tell sessions that declared the extension what it announces, and no others",
  "MUST let clients that declared the extension listen for what it has, and no others",
  // Logs that are tied to no request come when they come.
  "MUST send logs to the client that wants them, ahead of the result"
]

TransportContract.suite("a proxy to a server of sessions", proxied("stateful"), {
  revisions: ["2026-07-28"],
  except: [
    ...except,
    "MUST refuse what needs more than the client declared, say what that is, and run none of it",
    "MUST refuse a call whose client lacks what it asks for, before anything is asked",
    "MUST ask a client in no mode that it did not declare, and tell it of no visit",
    "MUST NOT offer tools to the model of a client that declared sampling without them",
    "MUST NOT give a request that has no session the scope of one",
    // The server has no hints, knows no rounds, says when a visit is over, and takes a subscription of anything.
    "MUST give the hints of the server, of the method, and of the resource, the nearest first",
    "MUST send the user to a URL, and tell that the visit is over where the revision has a message for that",
    "MUST do once what a handler does once, whatever it asks afterwards, and again for another call",
    "MUST acknowledge a subscription first, tag what it tells, and end with its request"
  ]
})

TransportContract.suite("a proxy to a server without sessions", proxied("stateless"), {
  revisions: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
  except: [
    ...except,
    "MUST keep one scope for all of a session, and close it with the session",
    // The server cannot be told that there is no answer, and words its failures as its own revision does.
    "MUST make a tool failure of an ask that the client refuses",
    "MUST make a tool failure of tools where sampling has none",
    "MUST send the user to a URL, and tell that the visit is over where the revision has a message for that",
    "MUST make a tool failure of a URL that the revision cannot send anybody to",
    "MUST ask for a choice of several where the revision can, and else make a tool failure of it",
    "MUST answer invalid arguments as the revision wants, and name the argument",
    "MUST do once what a handler does once, whatever it asks afterwards, and again for another call",
    "MUST complete arguments and variables, with those before them, 100 at most"
  ]
})
