/** The tools of the example: what they take and give, and what they do. No word of a transport. */
import { Tool } from "@mcp-effect/protocol"
import { McpServer, type ToolHandler } from "@mcp-effect/server"
import { Effect, Layer, Schema, Stream } from "effect"

export class UnknownCity extends Schema.TaggedError<UnknownCity>()("UnknownCity", {
  city: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is no weather for ${this.city}. Known cities: ${this.known.join(", ")}`
  }
}

export const GetWeather = Tool.make("get_weather", {
  title: "Current weather",
  description: "The weather in a city, now",
  input: { city: Schema.String.annotate({ description: "The name of the city" }) },
  output: Schema.Struct({ celsius: Schema.Finite, sky: Schema.Literals(["clear", "cloudy", "rain"]) }),
  failure: UnknownCity,
  annotations: { readOnlyHint: true }
})

export const Forecast = Tool.make("forecast", {
  title: "Forecast",
  description: "The weather of the coming days, a day at a time",
  input: {
    city: Schema.String,
    days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 })).annotate({ description: "How many days" })
  },
  output: Schema.Struct({ city: Schema.String, warmest: Schema.Finite }),
  failure: UnknownCity
})

const cities: Record<string, { celsius: number; sky: "clear" | "cloudy" | "rain" }> = {
  Beijing: { celsius: 31, sky: "clear" },
  Bergen: { celsius: 12, sky: "rain" },
  Lisbon: { celsius: 24, sky: "cloudy" }
}

const find = (city: string) => {
  const found = cities[city]
  return found === undefined
    ? Effect.fail(new UnknownCity({ city, known: Object.keys(cities) }))
    : Effect.succeed(found)
}

const forecast: ToolHandler.ToolHandler<typeof Forecast, never> = ({ city, days }) =>
  Stream.unwrap(Effect.map(find(city), ({ celsius, sky }) => {
    const of = (day: number) => celsius + ((day * 7) % 5) - 2
    const day = (day: number) =>
      Stream.fromArray([
        Tool.part(`Day ${day}: ${of(day)} °C, ${sky}`),
        Tool.progress({ progress: day, total: days, message: `${day} of ${days} days` })
      ]).pipe(Stream.tap(() => Effect.sleep("40 millis")))
    const warmest = Math.max(...Array.from({ length: days }, (_, index) => of(index + 1)))
    return Stream.concat(
      Stream.flatMap(Stream.range(1, days), day),
      Stream.succeed(Tool.output({ city, warmest }))
    )
  }))

export const WeatherTools = Layer.mergeAll(
  McpServer.tool(GetWeather, ({ city }) => find(city)),
  McpServer.tool(Forecast, forecast)
)

export const Weather = WeatherTools.pipe(Layer.provideMerge(McpServer.layer({ name: "weather", version: "1.0.0" })))
