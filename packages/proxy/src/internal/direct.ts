/**
 * A connection of a proxy to a server that speaks the era of its client: a peer around a peer. Everything passes, what the
 * protocol does not know included; only what opens a session is looked at.
 */
import type * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import type { Peer, TransportError } from "@mcp-effect/protocol/Peer"
import type { Revision } from "@mcp-effect/protocol/Revision"
import * as Revisions from "@mcp-effect/protocol/Revisions"
import * as Session from "@mcp-effect/protocol/Session"
import * as Effect from "effect/Effect"
import type { Upstream } from "./upstream.ts"

// What is repeated when a server is connected to again. Servers bound subscriptions by less.
const MOST = 4096

export class Direct implements Peer {
  readonly session = Session.make()
  private readonly upstream: Upstream
  private negotiated: Revision | undefined
  // By what makes it another message: what the server has to know of the session.
  private readonly told = new Map<string, JsonRpc.Request | JsonRpc.Notification>()

  constructor(upstream: Upstream) {
    this.upstream = upstream
  }

  readonly revision = (): Revision | undefined => this.session.current()._tag === "ready" ? this.negotiated : undefined

  readonly request: Peer["request"] = (request, back) =>
    Effect.suspend(() => {
      if (request.method === "initialize") this.session.dispatch({ _tag: "HandshakeStarted" })
      return Effect.map(this.upstream.request(request, back), (response) => {
        if (response._tag === "Success") this.learn(request, response.result)
        return response
      })
    })

  readonly notify: Peer["notify"] = (notification) =>
    Effect.suspend((): Effect.Effect<void, TransportError> => {
      const passed = this.upstream.notify(notification)
      if (notification.method !== "notifications/initialized") return passed
      return Effect.map(passed, () => {
        this.tell("initialized", notification)
        if (this.negotiated !== undefined) {
          this.session.dispatch({ _tag: "HandshakeCompleted", revision: this.negotiated })
        }
      })
    })

  private learn(request: JsonRpc.Request, result: JsonRpc.Params): void {
    const uri = String(request.params?.uri)
    switch (request.method) {
      case "initialize":
        this.negotiated = Revisions.all.find(({ name }) => name === result.protocolVersion)
        return this.tell("initialize", request)
      case "logging/setLevel":
        return this.tell("level", request)
      case "resources/subscribe":
        return this.tell(`subscribed ${uri}`, request)
      case "resources/unsubscribe":
        return this.forget(`subscribed ${uri}`)
    }
  }

  private tell(key: string, message: JsonRpc.Request | JsonRpc.Notification): void {
    if (this.told.size >= MOST) return
    this.told.set(key, message)
    this.upstream.remember([...this.told.values()])
  }

  private forget(key: string): void {
    this.told.delete(key)
    this.upstream.remember([...this.told.values()])
  }
}
