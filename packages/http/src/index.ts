export * as EventStore from "./EventStore.ts"
export * as EventStream from "./EventStream.ts"
export * as SessionStore from "./SessionStore.ts"
export * as StreamableHttpServer from "./StreamableHttpServer.ts"
