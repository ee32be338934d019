import * as FaultContract from "@mcp-effect/testing/FaultContract"
import { transport } from "./pipe.ts"

FaultContract.suite("stdio", (faults) => transport(undefined, faults.bytes))
