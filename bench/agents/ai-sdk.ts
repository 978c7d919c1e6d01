// The AI SDK's loop: generateText with tools and a stop condition; and streamText.
import { importPackage } from "../library.ts";
import { verify } from "../scenario.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import type { AgentContestant, ArgsSchema, ToolLoop } from "./contestant.ts";
import { double, inputSchema, question, toolDescription, verifyAnswer } from "./script.ts";

interface AiSdk {
  readonly tool: (fields: object) => object;
  /** A schema that the model sees and that checks nothing. */
  readonly jsonSchema: (schema: object) => object;
  readonly isStepCount: (steps: number) => object;
  readonly generateText: (options: object) => Promise<{
    readonly text: string;
    readonly steps: readonly {
      readonly toolResults: readonly object[];
    }[];
    readonly responseMessages: readonly object[];
  }>;
  readonly streamText: (options: object) => { readonly textStream: AsyncIterable<string> };
}

function makeLoop(sdk: AiSdk, schema: object): ToolLoop["make"] {
  const tools = {
    double: sdk.tool({
      description: toolDescription,
      inputSchema: schema,
      execute: ({ input }: { input: string }) => double(input),
    }),
  };
  return (script) => {
    const model = aiSdkModel({ script });
    const { rounds, calls } = script;
    return async () => {
      const stopWhen = sdk.isStepCount(rounds + 1);
      const result = await sdk.generateText({ model, tools, stopWhen, prompt: question });
      verifyAnswer(result.text, script);
      verify("the number of answers", result.steps.length, rounds + 1);
      verify("the results of a round", result.steps[0]?.toolResults.length, calls);
      verify("the number of messages", result.responseMessages.length, 2 * rounds + 1);
    };
  };
}

export async function aiSdkAgents(schema: ArgsSchema): Promise<AgentContestant> {
  const { library, version } = await importPackage("ai");
  const sdk = library as AiSdk;
  return {
    name: "ai-sdk",
    version,
    loops: [
      { label: "generateText", zod: false, make: makeLoop(sdk, sdk.jsonSchema(inputSchema)) },
      { label: "generateText, zod", zod: true, make: makeLoop(sdk, schema) },
    ],
    streams: [
      {
        label: "streamText",
        open: (pieces) =>
          sdk.streamText({ model: aiSdkModel({ pieces }), prompt: question }).textStream,
        textOf: (chunk) => chunk as string,
      },
    ],
  };
}
