/** Requests of a client, sent on by a client to the server behind the proxy, in whatever era that is. */
import type * as McpClient from "@mcp-effect/client/McpClient"
import * as Capabilities from "@mcp-effect/protocol/Capabilities"
import * as JsonRpc from "@mcp-effect/protocol/JsonRpc"
import * as Logging from "@mcp-effect/protocol/Logging"
import * as McpError from "@mcp-effect/protocol/McpError"
import * as Meta from "@mcp-effect/protocol/Meta"
import * as Sampling from "@mcp-effect/protocol/Sampling"
import * as StreamingTools from "@mcp-effect/protocol/StreamingTools"
import type { Call, Method } from "@mcp-effect/server/Call"
import type { Question as Asked } from "@mcp-effect/server/Input"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Lot } from "./lot.ts"
import type { Parked, Question } from "./parked.ts"
import * as Written from "./written.ts"

type Client = McpClient.McpClient["Service"]

// How long it takes is for whoever calls to say.
const PATIENT = { timeout: "Infinity", maxTimeout: "Infinity" } as const

/** A method that may not ask. */
export const plain = (client: Client): Method => (call) => {
  const { meta, params } = onward(call)
  const onNotification = told(call)
  const sent = client.request(call.request.method, params, {
    ...PATIENT,
    ...wanted(call),
    meta,
    onNotification
  })
  return Effect.matchEffect(sent, {
    onFailure: (error) => Effect.fail(passable(error)),
    onSuccess: (value) => Effect.succeed(Written.result(call, value))
  })
}

/** A method that may ask, in this round and in those after it. */
export const asking = (client: Client, lot: Lot): Method => (call) =>
  Effect.gen(function*() {
    const { meta, params } = onward(call)
    const subject = call.principal?.subject
    const start = lot.start(subject, (parked) => {
      parked.told = told(call)
      const onNotification = (notification: JsonRpc.Notification) => parked.told?.(notification) ?? Effect.void
      return client.request(call.request.method, params, {
        ...PATIENT,
        ...wanted(call),
        meta,
        answer: parked.ask,
        onNotification
      })
    })
    const id = yield* call.input.once(call, "proxy", start)
    const parked = yield* lot.take(id, subject)
    if (parked === undefined || typeof id !== "string") {
      return yield* new McpError.InvalidParams({
        message: "Invalid params: the call that \"requestState\" belongs to is over; begin anew"
      })
    }
    parked.told = told(call)
    return yield* Effect.onExit(attended(call, parked), (exit) =>
      // A round that ends with questions is taken up in the next.
      Exit.isFailure(exit) && call.session === undefined && parked.isAsking
        ? lot.leave(id, parked)
        : lot.end(id, parked))
  })

const attended = (call: Call, parked: Parked): ReturnType<Method> =>
  Effect.flatMap(parked.next, (outcome): ReturnType<Method> => {
    if (outcome === undefined) {
      const asked = Effect.forEach(parked.questions, (question) => ask(call, parked, question), {
        concurrency: "unbounded",
        discard: true
      })
      return Effect.andThen(asked, attended(call, parked))
    }
    return Effect.matchEffect(outcome, {
      onFailure: (error) => Effect.fail(passable(error)),
      onSuccess: (value) => Effect.succeed(Written.result(call, value))
    })
  })

const ask = (call: Call, parked: Parked, question: Question): Effect.Effect<void> => {
  const { key, method, params } = question
  const refuse = (error: McpError.ProtocolError) => Effect.sync(() => parked.answered(question, Exit.fail(error)))
  if (!isQuestion(method) || Capabilities.missing(call.client.capabilities, needed(method, params)) !== undefined) {
    return refuse(new McpError.MethodNotFound({ method, message: `Method not found: ${method}` }))
  }
  const worded = Effect.flatMap(Written.question(method, params, call.revision.wire), (params) =>
    Effect.mapError(
      call.input.ask(call, { key, method, params }),
      ({ message, reason }) =>
        reason === "unsupported" ? new McpError.InvalidParams({ message }) : new McpError.InternalError({ message })
    ))
  return Effect.matchEffect(worded, {
    onFailure: refuse,
    onSuccess: (value) => Effect.sync(() => parked.answered(question, Exit.succeed(value)))
  })
}

const questions = new Set<string>(["elicitation/create", "sampling/createMessage", "roots/list"])

const isQuestion = (method: string): method is Asked["method"] => questions.has(method)

const needed = (method: Asked["method"], params: JsonRpc.Params): Capabilities.Client => {
  switch (method) {
    case "elicitation/create":
      return { elicitation: { [params.mode === "url" ? "url" : "form"]: {} } }
    case "sampling/createMessage":
      return Sampling.needs({
        ...(params.tools === undefined ? {} : { tools: [] }),
        ...(params.includeContext === "thisServer" || params.includeContext === "allServers"
          ? { includeContext: params.includeContext }
          : {})
      })
    case "roots/list":
      return { roots: {} }
  }
}

// What is the client's own connection's, or this round's, is not the other's.
const onward = ({ request }: Call): { readonly params: JsonRpc.Params; readonly meta: JsonRpc.Params } => {
  const { _meta, inputResponses: _answers, requestState: _state, ...params } = request.params ?? {}
  const own = Object.entries(Meta.of(request.params) ?? {}).filter(([key]) =>
    key !== "progressToken" && !key.startsWith("io.modelcontextprotocol/")
  )
  return { params, meta: Object.fromEntries(own) }
}

// Who wants to hear of logs says so, in whichever way.
const wanted = ({ logLevel }: Call) => logLevel === undefined ? {} : { logLevel }

// What is tied to the request goes back with the token that the client knows it by.
const told = ({ back, logLevel, part, request }: Call) => {
  const progressToken = Meta.progressToken(request.params)
  return ({ method, params }: JsonRpc.Notification): Effect.Effect<void> => {
    if (method === "notifications/message") {
      const level = params?.level
      if (logLevel === undefined || !Logging.isLevel(level) || !Logging.isAtLeast(level, logLevel)) return Effect.void
      return Effect.ignore(back.notify(JsonRpc.notification(method, params)))
    }
    const isPart = method === StreamingTools.METHOD
    if (progressToken === undefined || (isPart ? part === undefined : method !== "notifications/progress")) {
      return Effect.void
    }
    return Effect.ignore(back.notify(JsonRpc.notification(method, { ...params, progressToken })))
  }
}

const passable = (error: McpError.McpError): McpError.ProtocolError =>
  McpError.isProtocolError(error)
    ? error
    : new McpError.InternalError({ message: `The server behind the proxy did not answer: ${error.message}` })
