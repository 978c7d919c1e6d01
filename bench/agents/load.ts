// Who takes part in the scenarios of agents.
import { importPackage, install } from "../library.ts";
import type { Options } from "../options.ts";
import { aiSdkAgents } from "./ai-sdk.ts";
import type { AgentContestant, ArgsSchema } from "./contestant.ts";
import { langChainAgents } from "./langchain.ts";
import { plainAgents } from "./plain.ts";
import { superstepAgents } from "./superstep.ts";

interface Zod {
  readonly object: (fields: object) => ArgsSchema;
  readonly string: () => object;
}

export async function loadAgents(options: Options): Promise<readonly AgentContestant[]> {
  install();
  const { object, string } = (await importPackage("zod")).library as Zod;
  const schema = object({ input: string() });
  return [
    ...(options.superstep ? [await superstepAgents(options.built, schema)] : []),
    ...(options.langGraph ? [await langChainAgents(schema)] : []),
    ...(options.aiSdk ? [await aiSdkAgents(schema)] : []),
    plainAgents(schema),
  ];
}
