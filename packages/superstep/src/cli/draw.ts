import type { CommandLine } from "./arguments.ts";
import { loadGraph } from "./load.ts";
import { print } from "./output.ts";

export async function drawGraph({ positionals, options }: CommandLine): Promise<number> {
  const [file = ""] = positionals;
  const graph = (await loadGraph(file)).getGraph();
  const drawn = options.ascii === true ? await graph.drawAscii() : graph.drawMermaid();
  return print(drawn.trimEnd());
}
